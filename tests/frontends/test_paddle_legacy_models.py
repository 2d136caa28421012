"""Programs that Paddle 2.6.2 wrote (`paddle_legacy_models.py`), against Paddle itself."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from conformance.case import i, rand
from conformance.oracles.oracle import Oracle
from frontends.paddle import load
from hal.runtime.program import Program
from nnir.errors import NoLowering
from nnir.model import Model

DATA = Path(__file__).parents[1] / "data/paddle"
IMAGE = rand(2, 3, 32, 32)
SIZE = np.array([[64, 48], [32, 32]], np.int32)
RUNS = {
    "net": [[IMAGE], [IMAGE[:1]]],
    "encoder": [[i(3, 7, 1, 0).reshape(2, 2)], [rand(3, 7, dtype=np.int64, low=0, high=29)]],
    "reader": [[rand(2, 1, 8, 20)], [rand(1, 1, 8, 33)]],
    "detector": [[IMAGE, SIZE], [IMAGE[:1], SIZE[:1]]],
    "branches": [[rand(2, 3)], [rand(2, 3) - 5], [rand(4, 3) + 5], [rand(2, 3, low=-9, high=2)]],
    "loops": [[rand(2, 3), i(0)], [rand(2, 3), i(4)]],
    "arrays": [[rand(2, 3), i(0)], [rand(2, 3), i(4)]],
    "decoder": [[rand(2, 3), i(1)], [rand(2, 3), i(5)]],
    "blocks": [[rand(2, 3), i(n)] for n in (0, 2, 3)],
    "quantized": [[rand(2, 3, 8, 8)]],
}

NOT = {("detector", "onnxruntime")}
"""ONNX Runtime suppresses boxes without the pixel at their end that `normalized=False` counts."""


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle("conformance.oracles.paddle_legacy", timeout=120) as worker:
        yield worker


def same(model: Model, device: str, arrays: list[np.ndarray], want: list[np.ndarray]) -> None:
    """AssertionError unless types, shapes and numbers are those of Paddle."""
    got = Program(model, device)(*arrays)
    assert len(got) == len(want)
    for mine, theirs in zip(got, want, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
@pytest.mark.parametrize("name", RUNS)
def test_program(name: str, device: str, oracle: Oracle) -> None:
    model = load(DATA / f"{name}.pdmodel")
    if (name, device) in NOT:
        with pytest.raises(NoLowering):
            Program(model, device)
        return
    for arrays in RUNS[name]:
        same(model, device, arrays, oracle.ask({"path": str(DATA / name)}, arrays))


def test_one_file_for_each_parameter(oracle: Oracle) -> None:
    model = load(DATA / "net_separate/__model__")
    same(model, "builtin", [IMAGE], oracle.ask({"path": str(DATA / "net")}, [IMAGE]))


def test_one_file_for_all_parameters(tmp_path: Path, oracle: Oracle) -> None:
    """`__model__` and `__params__`, or any name that `params` says."""
    shutil.copy(DATA / "net.pdmodel", tmp_path / "__model__")
    want = oracle.ask({"path": str(DATA / "net")}, [IMAGE])
    same(load(tmp_path / "__model__", params=DATA / "net.pdiparams"), "builtin", [IMAGE], want)
    shutil.copy(DATA / "net.pdiparams", tmp_path / "__params__")
    same(load(tmp_path / "__model__"), "builtin", [IMAGE], want)


def test_names_of_the_ends() -> None:
    model = load(DATA / "detector.pdmodel")
    assert [v.name for v in model.inputs] == ["image", "size"]
