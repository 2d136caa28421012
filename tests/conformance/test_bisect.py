"""bisect on every kind of file: what it compares by name, what it finds, what it leaves behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result
from onnx import helper

import nnadapter as nna
from conformance.bisect import CONVERSION, DEVICE, SOMEWHERE
from hal.drivers.onnxruntime.driver import LOWERINGS
from nnadapter.cli import main
from nnir.errors import BadInput
from nnir.extract import extract
from nnir.ops import activation

from ..conftest import info, model_of, tensor
from . import planted

DATA = Path(__file__).parents[1] / "data" / "paddle"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def conv(tmp_path: Path, cnn: onnx.ModelProto) -> Path:
    path = tmp_path / "cnn.onnx"
    onnx.save(cnn, path)
    return path


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bisect", *map(str, arguments)])


def wrong_softmax(patch: pytest.MonkeyPatch) -> None:
    """On the device, not in the standard."""
    function = LOWERINGS.entries[activation.softmax]

    def wrong(g: object, x: object, *, axis: int) -> object:
        return function(g, x, axis=axis - 1)

    patch.setattr(LOWERINGS, "entries", {**LOWERINGS.entries, activation.softmax: wrong})


def test_onnx(conv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = nna.bisect(conv, "onnxruntime")
    assert good
    assert good.known > 4
    wrong_softmax(monkeypatch)
    found = nna.bisect(conv, "onnxruntime").finding
    assert found is not None
    assert (found.kind, found.operation, found.origin) == (DEVICE, "SOFTMAX", "softmax")
    assert nna.bisect(conv, "builtin")


def test_saved_models_and_frozen_graphs(models: Path) -> None:
    found = nna.bisect(models / "cnn", "onnxruntime")
    assert found
    assert found.known > found.total // 2
    frozen = {"inputs": ["x"], "outputs": ["y"]}
    found = nna.bisect(models / "frozen.pb", "onnxruntime", loading=frozen)
    assert found
    assert found.known


def test_tflite(files: Path) -> None:
    for name in ("cnn", "mobile_int8"):
        found = nna.bisect(files / f"{name}.tflite", "onnxruntime")
        assert found, found.finding
        assert found.known > 2, found.note


def test_paddle(programs: Path) -> None:
    for path in (programs / "cnn.json", DATA / "net.pdmodel"):
        found = nna.bisect(path, "onnxruntime")
        assert found, found.finding
        assert found.known > found.total // 2, found.note


def test_legacy_programs_are_verified() -> None:
    assert nna.verify(DATA / "net.pdmodel", "onnxruntime")


def test_an_object_has_no_inner_values(
    cnn: onnx.ModelProto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong translation is seen, though not where; a wrong device is."""
    found = nna.bisect(cnn)
    assert found
    assert "save it to a file" in found.note
    with monkeypatch.context() as undo:
        planted.onnx_softmax(undo.setattr)
        finding = nna.bisect(cnn).finding
    assert finding is not None
    assert finding.kind == SOMEWHERE
    assert finding.model is None
    wrong_softmax(monkeypatch)
    finding = nna.bisect(cnn, "onnxruntime").finding
    assert finding is not None
    assert finding.operation == "SOFTMAX"


def test_the_command(conv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(conv, "--device", "builtin")
    assert done.exit_code == 0, done.output
    assert "every operation agrees" in done.stdout
    assert not (tmp_path / "cnn.bisect").exists()
    planted.onnx_softmax(monkeypatch.setattr)
    done = call(conv, "--device", "builtin")
    assert done.exit_code == 1
    assert "SOFTMAX" in done.stdout
    assert f"python {Path('cnn.bisect') / 'show.py'} shows it" in done.stdout
    folder = tmp_path / "cnn.bisect"
    assert {p.name for p in folder.iterdir()} == {
        "arrays.npz",
        "finding.json",
        "operation.nnir",
        "show.py",
    }
    assert json.loads((folder / "finding.json").read_text())["kind"] == CONVERSION
    assert len(nna.load(folder / "operation.nnir").operations) == 1
    done = call(conv, "--device", "builtin")
    assert "is there already" in done.stderr
    done = call(conv, "--device", "builtin", "--folder", tmp_path / "b", "--json")
    assert json.loads(done.stdout)["finding"]["operation"] == "SOFTMAX"


def test_the_script_shows_it(conv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever gets the folder runs it: the operation alone, against what the origin gave."""
    planted.onnx_softmax(monkeypatch.setattr)
    nna.bisect(conv, folder=tmp_path / "found")
    show = [sys.executable, "show.py"]
    done = subprocess.run(show, cwd=tmp_path / "found", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "output 0: got float32[2, 80], want float32[2, 80]" in done.stdout
    assert float(done.stdout.split()[-1]) > 1e-3
    with pytest.raises(BadInput, match="is there already"):
        nna.bisect(conv, folder=tmp_path / "found")


def test_a_tolerance(conv: Path) -> None:
    finding = nna.bisect(conv, "onnxruntime", tolerance=0.0).finding
    assert finding is None or finding.difference.max_absolute < 1e-5


LARGE = """
import resource, sys
import nnadapter as nna
found = nna.bisect(sys.argv[1], "onnxruntime")  # everything is imported, once
_, most = resource.getrlimit(resource.RLIMIT_DATA)
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[3]), most))
found = nna.bisect(sys.argv[2], "onnxruntime")
assert found, found.finding
assert "does not fit" in found.note
print(found.known, found.total)
"""


def test_a_model_larger_than_memory_allows_twice(tmp_path: Path, conv: Path) -> None:
    """512 MB of weights; this process, which runs the device, may take 300 MB of its own."""
    size, layers = 4096, 8
    weight = np.random.default_rng(0).standard_normal((size, size), np.float32) / 64
    nodes = [
        helper.make_node("MatMul", [f"h{k}", f"w{k}"], [f"h{k + 1}"], name=f"layer{k}")
        for k in range(layers)
    ]
    weights = [tensor(f"w{k}", weight) for k in range(layers)]
    model = model_of(nodes, [info("h0", [1, size])], [info(f"h{layers}", [1, size])], weights)
    path = tmp_path / "large.onnx"
    onnx.save(model, path, save_as_external_data=True, location="large.bin")
    del model, weights
    arguments = [str(conv), str(path), str(300 << 20)]
    done = subprocess.run(
        [sys.executable, "-c", LARGE, *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == [str(layers)] * 2


def test_a_part_of_a_model(mlp: onnx.ModelProto) -> None:
    """The middle of a model runs by itself, shares the weights and keeps names and sizes."""
    model = nna.load(mlp)
    operations = model.sorted()
    part, sources = extract(operations[1:3], operations[2].outputs)
    assert [o.operator.name for o in part.operations] == ["ADD", "RELU"]
    assert sources == [operations[0].outputs[0]]
    assert part.operations[0].inputs[1].constant is operations[1].inputs[1].constant
    assert str(part.inputs[0].type) == "float32[batch, 8]"
    given = np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)
    (y,) = nna.compile(part)(given)
    bias = operations[1].inputs[1].constant
    np.testing.assert_array_equal(y, np.maximum(given + bias, 0))
