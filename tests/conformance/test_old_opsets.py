"""Forms that neither ONNX's reference evaluator nor ONNX Runtime can run, against NumPy.

Most are of opsets 1 to 6; each is compared with what a newer form or plain NumPy gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from conformance.case import Case, f, rand
from conformance.engines.onnx import convert, run
from nnir.errors import BadType, NNAdapterError, NoLowering

DEVICES = ("builtin", "onnxruntime")
A = rand(2, 3, 4, 5, low=0.5, high=3)
BINARY: dict[str, Callable[..., np.ndarray]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Pow": np.power,
    "Equal": np.equal,
    "Greater": np.greater,
    "Less": np.less,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
}
PLACES = [  # the shape of b, axis, and the shape that NumPy needs
    ((3, 4), 1, (3, 4, 1)),
    ((3,), 1, (3, 1, 1)),
    ((2, 3), 0, (2, 3, 1, 1)),
    ((4,), -2, (4, 1)),
    ((5,), 3, (5,)),
    ((4, 5), None, (4, 5)),
    ((), None, ()),
]


def operands(op: str, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Of the types that the operator takes, and with some equal elements."""
    b = rand(*shape, seed=1, low=0.5, high=3)
    if op in ("And", "Or", "Xor"):
        return A > 1.5, np.asarray(b > 1.5)
    if op == "Equal":
        return A.astype(np.int32), b.astype(np.int32)
    return A, b


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("shape", "axis", "numpy_shape"), PLACES)
@pytest.mark.parametrize("op", BINARY)
def test_axis_and_broadcast(
    op: str,
    shape: tuple[int, ...],
    axis: int | None,
    numpy_shape: tuple[int, ...],
    device: str,
) -> None:
    a, b = operands(op, shape)
    attrs = {"broadcast": 1} | ({} if axis is None else {"axis": axis})
    (got,) = run(Case(op, (a, b), attrs, opset=6), device)
    want = BINARY[op](a, b.reshape(numpy_shape))
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("op", BINARY)
def test_shapes_must_agree_without_broadcast(op: str) -> None:
    a, b = operands(op, (4, 5))
    for attrs in ({}, {"axis": 2}, {"broadcast": 0}):
        with pytest.raises(BadType):
            convert(Case(op, (a, b), attrs, opset=6))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("opset", [1, 6])
def test_dropout_in_a_test(opset: int, device: str) -> None:
    for outputs in (1, 2):
        attrs = {"is_test": 1, "ratio": 0.9}
        data, *masks = run(Case("Dropout", (A,), attrs, opset=opset, outputs=outputs), device)
        np.testing.assert_array_equal(data, A)
        for mask in masks:
            np.testing.assert_array_equal(mask, np.ones_like(A))


@pytest.mark.parametrize("opset", [1, 6])
def test_dropout_in_training(opset: int) -> None:
    case = Case("Dropout", (np.ones((100, 100), np.float32),), {"ratio": 0.75}, opset=opset)
    (alone,) = run(case, "builtin")
    both = Case(case.op, case.inputs, case.attrs, opset=opset, outputs=2)
    data, mask = run(both, "builtin")
    for kept in (alone, data):
        np.testing.assert_array_equal(np.unique(kept), [0, 1 / (1 - 0.75)])
        assert np.count_nonzero(kept) / kept.size == pytest.approx(0.25, abs=0.03)
    assert mask.dtype == data.dtype
    np.testing.assert_array_equal(mask, data != 0)


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def recurrent(op: str, opset: int, attrs: dict[str, Any], outputs: int = 2) -> Case:
    """A layer of 4 steps, 3 samples, 2 features and 5 hidden values."""
    gates = 5 * GATES[op]
    given = (rand(4, 3, 2), rand(1, gates, 2, seed=1), rand(1, gates, 5, seed=2))
    bias = rand(1, 2 * gates, seed=3)
    return Case(op, (*given, bias), {"hidden_size": 5} | attrs, opset=opset, outputs=outputs)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("output_sequence", [0, 1])
@pytest.mark.parametrize(("op", "opset"), [("RNN", 1), ("GRU", 1), ("GRU", 3), ("LSTM", 1)])
def test_output_sequence(op: str, opset: int, output_sequence: int, device: str) -> None:
    """The outputs are those of opset 7, where every node has the sequence."""
    attrs = {"output_sequence": output_sequence, "clip": 0.5}
    got = run(recurrent(op, opset, attrs), device)
    want = run(recurrent(op, 7, {"clip": 0.5}), device)
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("opset", [1, 6])
def test_upsample(opset: int, device: str) -> None:
    """Before opset 7 there are factors for the last two of four axes."""
    attrs = {"height_scale": 2.0, "width_scale": 3.0}
    (got,) = run(Case("Upsample", (A,), attrs, opset=opset), device)
    np.testing.assert_array_equal(got, A.repeat(2, axis=2).repeat(3, axis=3))


@pytest.mark.parametrize("device", DEVICES)
def test_upsample_bilinear(device: str) -> None:
    factors = {"mode": "bilinear", "height_scale": 2.0, "width_scale": 3.0}
    (got,) = run(Case("Upsample", (A,), factors, opset=1), device)
    newer = {"mode": "linear", "scales": [1.0, 1.0, 2.0, 3.0]}
    (want,) = run(Case("Upsample", (A,), newer, opset=7), device)
    np.testing.assert_array_equal(got, want)


def test_upsample_of_another_rank() -> None:
    with pytest.raises(NNAdapterError):
        convert(Case("Upsample", (A[0],), {"height_scale": 2.0, "width_scale": 3.0}, opset=1))


@pytest.mark.parametrize("round_mode", ["up", "down", "nearest"])
def test_cast_like_rounds_as_cast(round_mode: str) -> None:
    """ONNX defines CastLike as the Cast to the type of the other tensor."""
    x = f(0, 0.1, 0.75, 1.5, 2.9, 3, 3e38, np.nan)
    like = np.zeros(1, ml_dtypes.float8_e8m0fnu)
    mine = Case("CastLike", (x, like), {"round_mode": round_mode}, opset=25)
    (got,) = run(mine, "builtin")
    (want,) = run(Case("Cast", (x,), {"to": 24, "round_mode": round_mode}, opset=25), "builtin")
    assert got.dtype == like.dtype
    np.testing.assert_array_equal(got.view(np.uint8), want.view(np.uint8))
    with pytest.raises(NoLowering):
        run(mine, "onnxruntime")
