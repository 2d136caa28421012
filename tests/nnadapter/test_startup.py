"""Other packages of our names: who imports nnadapter is told, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder whose packages come before ours."""
    path = os.pathsep.join(map(str, (folder, ROOT)))
    environment = {**os.environ, "PYTHONPATH": path}
    given = [sys.executable, *words]
    return subprocess.run(given, cwd=ROOT, env=environment, capture_output=True, text=True)


PARTS = {"hal": "device", "nnir": "errors"}
CALLS = {"hal": "compile(None)", "nnir": "load('x')"}
"""What needs the package: reading a file needs no device."""


@pytest.mark.parametrize("name", PARTS)
def test_another_package_of_our_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    for part in ("__init__", PARTS[name]):
        (tmp_path / name / f"{part}.py").write_text("")
    said = f"the package '{name}' in {tmp_path} is not nnadapter's, which is in {ROOT}"
    done = python(tmp_path, "-P", "-c", f"import nnadapter; nnadapter.{CALLS[name]}")
    assert done.returncode == 1
    assert f"ImportError: {said}" in done.stderr
    told = python(tmp_path, "-P", "-m", "nnadapter", "devices")
    assert told.returncode == 1
    assert told.stderr.startswith(f"error: {said}")
    assert told.stderr.count("\n") == 1


def test_another_distribution_of_our_name(tmp_path: Path) -> None:
    about = tmp_path / "hal-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hal\nVersion: 1.0\n")
    (about / "top_level.txt").write_text("hal\n")
    done = python(tmp_path, "-P", "-m", "nnadapter", "doctor")
    assert done.returncode == 1
    assert done.stderr.startswith("error: the package 'hal' is of hal too: `pip uninstall hal`")


FIRST = """
import sys, numpy as np, nnadapter as nna
nna.compile(nna.load(sys.argv[1]), "onnxruntime")(np.ones((1, 3, 8, 8), np.float32))
print(*sys.modules)
"""
NEEDLESS = {
    *("ml_dtypes", "nnir.archive", "nnir.serial", "nnir.check", "nnir.lists", "nnir.ops.quant"),
    *("nnir.ops.attention", "nnir.ops.recurrent", "nnir.passes.complex_pairs", "nnadapter.racing"),
    *("nnadapter.checking", "hal.runtime.list_program", "frontends.onnx.lists"),
    *(f"hal.drivers.onnxruntime.{n}" for n in ("cuda", "hosting", "keeping", "states", "tiny")),
}
"""What a convolution and a sum do not need: a program starts in the time that its imports take."""


def test_a_first_result_imports_what_it_needs(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    helper = pytest.importorskip("onnx.helper")
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["c", "x"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(n, 1, [1, 3, 8, 8]) for n in "xy"]
    weights = [helper.make_tensor("w", 1, [3, 3, 3, 3], [0.5] * 81)]
    graph = helper.make_graph(nodes, "first", ends[:1], ends[1:], weights)
    path = tmp_path / "first.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    done = subprocess.run(
        [sys.executable, "-P", "-c", FIRST, str(path)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert not done.stderr
    assert not NEEDLESS & {*done.stdout.split()}
    assert all(map(find_spec, NEEDLESS))
