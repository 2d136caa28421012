"""Whole models of TensorFlow on every device, against TensorFlow's own output.

`tensorflow_models.py` writes them in a process of its own: tests never import TensorFlow.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from frontends import tensorflow as frontend
from frontends.tensorflow.reading import saved_model
from nnir.errors import BadFile, summary
from nnir.mapping import MappedFile
from nnir.model import Model

DEVICES = ("builtin", "onnxruntime")
MODELS = (
    *("cnn", "dense", "residual", "attention", "batches", "frozen.pb", "version1", "ancient.pb"),
    *("lstm", "gru", "bidirectional", "simple_rnn", "unrolled", "few_steps"),
    *(
        "cond",
        "while",
        "fixed_while",
        "growing_while",
        "case",
        "nested",
        "calls",
        "array",
        "list",
        "filled",
    ),
)
REPOSITORY = Path(__file__).parents[2]


def runs(folder: Path, name: str) -> list[tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]:
    """Inputs and outputs by name, run by run."""
    found: dict[int, tuple[dict[str, np.ndarray], dict[str, np.ndarray]]] = {}
    with np.load(folder / f"{name.removesuffix('.pb')}.npz") as arrays:
        for key, array in arrays.items():
            kind, _, rest = key.partition(":")
            called, _, run = rest.rpartition("@")
            found.setdefault(int(run), ({}, {}))[kind == "out"][called] = array
    return [found[k] for k in sorted(found)]


def agrees(model: Model, folder: Path, name: str, device: str) -> None:
    program = nna.compile(model, device)
    for inputs, outputs in runs(folder, name):
        got = program(*(inputs[v.name] for v in model.inputs))
        names = model.output_names
        expected = {names[0]: next(iter(outputs.values()))} if len(names) == 1 else outputs
        assert set(names) == set(expected)
        for called, mine in zip(names, got, strict=True):
            theirs = expected[called]
            assert mine.dtype == theirs.dtype
            np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MODELS)
def test_model(models: Path, name: str, device: str) -> None:
    agrees(frontend.load(models / name), models, name, device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["cnn", "residual", "dense", "attention"])
def test_optimized(models: Path, name: str, device: str) -> None:
    model = frontend.load(models / name)
    nna.optimize(model)
    agrees(model, models, name, device)


@pytest.mark.parametrize("device", DEVICES)
def test_two_signatures(models: Path, device: str) -> None:
    ((inputs, twice), (_, scaled)) = runs(models, "signatures")
    for signature, outputs in (("twice", twice), ("scaled", scaled)):
        model = frontend.translate(saved_model.read(models / "signatures", signature))
        (got,) = nna.compile(model, device)(inputs["x"])
        np.testing.assert_array_equal(got, outputs["y"])


@pytest.mark.parametrize("wanted", ["nothing", None])
def test_unknown_signature(models: Path, wanted: str | None) -> None:
    with pytest.raises(BadFile, match=r"no signature .*twice") as caught:
        saved_model.read(models / "signatures", wanted)
    assert "\n" not in summary(caught.value)


def test_weights_are_views(models: Path) -> None:
    source = saved_model.read(models / "cnn")
    assert source.graph.weights
    for array in source.graph.weights.values():
        base = array
        while isinstance(base, np.ndarray):
            base = base.base
        view = base.obj if isinstance(base, memoryview) else base
        assert isinstance(view, MappedFile) or array.size < 100


def test_reading_imports_no_tensorflow(models: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from frontends import tensorflow; "
        f"tensorflow.load(Path({str(models / 'cnn')!r})); "
        "sys.exit('tensorflow' in sys.modules or 'google.protobuf' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=REPOSITORY, timeout=60)


def operators(model: Model) -> list[str]:
    return [n.operator.name for n in model.operations]


def test_few_transposes_are_left(models: Path) -> None:
    model = frontend.load(models / "residual")
    assert operators(model).count("TRANSPOSE") <= 2


def test_batch_norms_are_folded(models: Path) -> None:
    model = frontend.load(models / "cnn")
    nna.optimize(model)
    names = operators(model)
    assert "CONV_2D" in names
    assert "BATCH_NORMALIZATION" not in names


def test_long_loops_stay_loops(models: Path) -> None:
    names = operators(frontend.load(models / "nested"))
    assert names.count("WHILE") == 1
    assert len(names) < 10
