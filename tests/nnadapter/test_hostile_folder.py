"""Commands in a folder full of modules that nobody should import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.running.conform import plan_run
from conformance.running.suite import Options
from nnir import isolation

from ..conftest import shared_folder

ROOT = Path(__file__).parents[2]
MODULES = (
    *("ml_dtypes", "numpy", "keras", "torch", "tensorflow", "onnx", "onnxruntime", "paddle"),
    *("json", "click", "rich", "ctypes", "tempfile", "pathlib", "typing", "sitecustomize"),
    *("usercustomize", "google", "flatbuffers", "ai_edge_litert", "openvino", "sympy", "scipy"),
    *("packaging", "h5py", "six", "wrapt", "absl", "protobuf", "requests", "yaml", "jinja2"),
)
PACKAGES = ("conformance", "conformance.oracles", "frontends", "nnir", "hal", "nnadapter")
MAKE = """
import sys, os
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", KERAS_BACKEND="tensorflow", CUDA_VISIBLE_DEVICES="")
import torch
folder = sys.argv[1]
torch.export.save(torch.export.export(torch.nn.ReLU(), (torch.ones(2, 3),)), f"{folder}/m.pt2")
import onnx
from onnx import helper, TensorProto
x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3]) for n in "xy")
graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), f"{folder}/m.onnx")
import keras
keras.Sequential([keras.Input((3,)), keras.layers.ReLU()]).save(f"{folder}/m.keras")
"""
COMMANDS = {
    "convert onnx": ["convert", "m.onnx", "out.onnx"],
    "convert pt2": ["convert", "m.pt2", "out.nnir"],
    "verify onnx": ["verify", "m.onnx"],
    "verify pt2": ["verify", "m.pt2", "--device", "builtin"],
    "verify keras": ["verify", "m.keras", "--trust", "--device", "builtin"],
    "run": ["run", "m.onnx"],
    "check": ["check", "m.keras", "--trust"],
    "inspect": ["inspect", "m.pt2"],
    "bisect": ["bisect", "m.onnx", "--device", "builtin"],
    "bisect pt2": ["bisect", "m.pt2", "--device", "builtin"],
    "devices": ["devices"],
    "ops": ["ops"],
    "doctor": ["doctor"],
}
STARTS = {
    "script": [str(Path(sys.executable).with_name("nnadapter"))],
    "-m": [sys.executable, "-m", "nnadapter"],
}


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder("originals", tmp_path_factory, make_originals)


def make_originals(folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", MAKE, str(folder)], check=True, timeout=280, capture_output=True
    )


@pytest.fixture
def hostile(tmp_path: Path, originals: Path) -> Path:
    """A folder with models among modules that leave a marker where they are imported."""
    code = f"open({str(tmp_path / 'marker')!r}, 'a').write(__name__ + ' ')\n"
    folder = tmp_path / "downloaded"
    folder.mkdir()
    for file in originals.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    for name in MODULES:
        (folder / f"{name}.py").write_text(code)
    for name in PACKAGES:
        place = folder / name.replace(".", "/")
        place.mkdir()
        (place / "__init__.py").write_text(code)
    return folder


def ran(folder: Path, start: list[str], arguments: list[str], path: str) -> None:
    """Run a command in the folder; nothing of it may have been imported."""
    done = subprocess.run(
        [*start, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=280,
    )
    marker = folder.parent / "marker"
    assert not marker.exists(), marker.read_text()
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.long
def test_no_command_imports_from_the_current_folder(name: str, hostile: Path) -> None:
    ran(hostile, STARTS["script"], COMMANDS[name], str(ROOT))


def test_nor_does_python_m(hostile: Path) -> None:
    for name in PACKAGES:  # which Python itself looks for in the current folder: -P is for that
        (hostile / name.replace(".", "/") / "__init__.py").unlink()
    (hostile / "nnadapter").rename(hostile / "other")
    ran(hostile, STARTS["-m"], COMMANDS["verify onnx"], str(ROOT))


def test_workers_leave_out_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    entries = ["", ".", str(tmp_path), str(link), "relative", "/elsewhere", str(ROOT)]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entries))
    assert isolation.search_path(is_folder_trusted=False) == [str(ROOT), "/elsewhere"]
    trusted = isolation.search_path(is_folder_trusted=True)
    assert trusted[:2] == [str(ROOT), str(tmp_path)]
    assert str(tmp_path / "relative") in trusted


@pytest.mark.long
def test_a_preloaded_module_may_lie_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("print('preloaded')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ".")
    assert plan_run(Options(devices=("builtin",), op="Relu", preload=("mine",)))["items"]
