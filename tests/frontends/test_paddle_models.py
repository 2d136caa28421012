"""Whole programs of Paddle on every device, against Paddle's own output.

`paddle_models.py` writes them in a process of its own: tests never import Paddle.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from frontends import paddle as frontend
from nnir.model import Model

DEVICES = ("builtin", "onnxruntime")
MODELS = (
    *("cnn", "transformer", "crnn", "lengths", "yolo", "matrix_nms", "branch", "checked"),
    *("while", "chosen", "growing", "fixed", "steps", "lists", "written", "open"),
)


def runs(folder: Path, name: str) -> list[tuple[list[np.ndarray], list[np.ndarray]]]:
    """Inputs and outputs, run by run."""
    found: dict[int, tuple[list[np.ndarray], list[np.ndarray]]] = {}
    with np.load(folder / f"{name}.npz") as arrays:
        for key, array in arrays.items():
            run = found.setdefault(int(key.rpartition("@")[2]), ([], []))
            run[key.startswith("out")].append(array)
    return [found[k] for k in sorted(found)]


def agrees(model: Model, folder: Path, name: str, device: str) -> None:
    program = nna.compile(model, device)
    for inputs, outputs in runs(folder, name):
        got = program(*inputs)
        assert len(got) == len(outputs)
        for mine, theirs in zip(got, outputs, strict=True):
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
            np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MODELS)
def test_program(programs: Path, name: str, device: str) -> None:
    agrees(frontend.load(programs / f"{name}.json"), programs, name, device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MODELS)
def test_optimized(programs: Path, name: str, device: str) -> None:
    model = frontend.load(programs / f"{name}.json")
    nna.optimize(model)
    agrees(model, programs, name, device)


def operators(model: Model) -> list[str]:
    return [o.operator.name for o in model.operations]


def test_few_iterations_are_written_out(programs: Path) -> None:
    model = frontend.load(programs / "fixed.json")
    nna.optimize(model)
    assert "WHILE" not in operators(model)


def test_unknown_sizes_stay_unknown(programs: Path) -> None:
    model = frontend.load(programs / "crnn.json")
    assert [str(d) for d in model.inputs[0].shape] == ["batch", "1", "4", "x_3"]
    assert operators(model).count("LSTM") == 2


def test_the_same_program_twice(programs: Path) -> None:
    first, second = (frontend.load(programs / "cnn.json") for _ in range(2))
    assert str(first) == str(second)


def test_parameters_elsewhere(programs: Path, tmp_path: Path) -> None:
    program = tmp_path / "cnn.json"
    program.write_bytes((programs / "cnn.json").read_bytes())
    model = frontend.load(program, params=programs / "cnn.pdiparams")
    agrees(model, programs, "cnn", "builtin")
