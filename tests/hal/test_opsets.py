"""`.onnx` files for older and newer operator sets: valid, and with the same results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import nnadapter as nna
from nnir.errors import NoLowering, Unsupported
from nnir.model import Model, Value
from nnir.ops import activation, compare, index, norm, pool, reduce, shape, signal
from nnir.types import PadMode, Precision, TensorType

X = np.random.default_rng(0).standard_normal((2, 3, 4, 4)).astype(np.float32)


def constant(x: Value, *numbers: Any, dtype: Any = np.float32) -> Value:
    return x.model.constant(np.array(numbers), dtype)


CASES: dict[str, tuple[Callable[[Value], Any], int]] = {
    "mean": (lambda x: reduce.reduce_mean(x, [1, 3], keepdim=True), 13),
    "log sum exp": (lambda x: reduce.reduce_log_sum_exp(x, [2], keepdim=False), 13),
    "gelu": (lambda x: activation.gelu(x), 13),
    "gelu by tanh": (lambda x: activation.gelu(x, approximate=True), 13),
    "hard swish": (lambda x: activation.hard_swish(x, alpha=1 / 6, beta=0.5), 13),
    "layer norm": (
        lambda x: norm.layer_normalization(
            x, constant(x, 1, 2, 3, 4), constant(x, 0, 1, 0, 1), begin_norm_axis=3, epsilon=1e-5
        ),
        13,
    ),
    "pad": (lambda x: shape.pad(x, [0, 0, 0, 0, 1, 2, 3, 0], mode=PadMode.REFLECT), 13),
    "wrap": (lambda x: shape.pad(x, [0, 0, 0, 0, 1, 2, 3, 0], mode=PadMode.WRAP), 19),
    "split": (lambda x: shape.split(x, [1, 3], axis=2), 13),
    "unstack": (lambda x: shape.unstack(x, axis=1, num=3), 13),
    "reshape": (lambda x: shape.reshape(x, [2, -1]), 13),
    "average": (
        lambda x: pool.average_pool_2d(
            x, kernel_shape=(2, 2), strides=(2, 2), pads=(0, 0, 0, 0), count_include_pad=False
        ),
        13,
    ),
    "scatter": (
        lambda x: index.scatter_nd(
            x,
            constant(x, [0], [0], dtype=np.int64),
            constant(x, *np.ones((2, 3, 4, 4))),
            reduction="add",
        ),
        16,
    ),
    "where": (lambda x: compare.where(compare.greater(x, constant(x, 0)), x, constant(x, 2)), 13),
    "dft": (lambda x: signal.dft(shape.unsqueeze(x, [4]), None, [2]), 13),
}


def model_of(function: Callable[[Value], Any]) -> Model:
    model = Model("case")
    x = model.input("x", TensorType(Precision.FLOAT32, X.shape))
    made = function(x)
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    return model


@pytest.mark.parametrize("opset", [13, 16, 17, 18, 20, 21, 23])
@pytest.mark.parametrize("case", CASES)
def test_each_operator_set(case: str, opset: int, tmp_path: Path) -> None:
    function, since = CASES[case]
    model, path = model_of(function), tmp_path / "m.onnx"
    if opset < since:
        with pytest.raises(NoLowering, match=r"needs opset .*another --target-opset"):
            nna.convert(model, path, opset=opset)
        assert not path.exists()
        return
    nna.convert(model, path, opset=opset)
    written = onnx.load(path)
    onnx.checker.check_model(written, full_check=True)
    assert written.opset_import[0].version == opset
    again = nna.compile(nna.load(path))(X)
    for ours, theirs in zip(again, nna.compile(model)(X), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("opset", [12, 26])
def test_sets_that_are_not_written(opset: int, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="opset 13 to 25"):
        nna.convert(model_of(CASES["mean"][0]), tmp_path / "m.onnx", opset=opset)
