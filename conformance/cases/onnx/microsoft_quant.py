"""ONNX Runtime's operators on integers: real numbers go in and out as steps of a scale."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType

from ...case import EXACT, Case, Const, Tolerance, f, i, rand, scalar

MS = "com.microsoft"
STEP = Tolerance(absolute=1)
"""ONNX Runtime adds, multiplies and averages with scales that it has merged before: what lies at a
half of a step may become the step beside."""

KINDS = (np.uint8, np.int8)
WIDE = (*KINDS, np.int16, np.uint16, ml_dtypes.int4, ml_dtypes.uint4)
ZERO = {np.uint8: 120, np.int8: -7}
"""A zero point away from the middle."""


def whole(*shape: int, kind: Any = np.uint8) -> np.ndarray:
    """Integers over the whole range of a type."""
    bounds = np.iinfo(kind)
    return rand(*shape, dtype=kind, low=bounds.min, high=bounds.max)


def step(scale: float, kind: Any = np.uint8) -> tuple[Const, Const]:
    """A scale and a zero point."""
    return Const(scalar(scale)), Const(scalar(ZERO[kind], kind))


def ms(op: str, *inputs: Any, **attrs: Any) -> Any:
    """A case of the domain in two steps: the node, then what differs from the usual."""
    return lambda why="", **rest: Case(op, inputs, attrs, why=why, domain=MS, **rest)


def binary(kind: Any) -> tuple[Any, ...]:
    """Two operands with their steps, and the step of the result."""
    left, right = whole(4, 9, kind=kind), whole(4, 9, kind=kind)[::-1].copy()
    return left, *step(0.05, kind), right, *step(0.07, kind), *step(0.11, kind)


ONE = Const(scalar(0.5))
A, B = whole(3, 4), whole(4)
IMAGE = whole(1, 3, 6, 6)
LAST = whole(1, 6, 5, 3)
FILTER = rand(4, 3, 3, 3, dtype=np.int8, low=-127, high=127)
SUMS = rand(4, dtype=np.int32, low=-500, high=500)
POOL = {"kernel_shape": [2, 2], "strides": [2, 2]}


def conv(x: np.ndarray, scales: Any, zeros: Any, bias: Any = None, **attrs: Any) -> Any:
    """QLinearConv of a filter with some scales."""
    weights = Const(FILTER), Const(scales), Const(zeros)
    rest = () if bias is None else (Const(bias),)
    return ms("QLinearConv", x, *step(0.05), *weights, *step(0.9), *rest, **attrs)


CASES = [
    *(ms(op, *binary(k))(f"of {k.__name__}", tol=STEP)
      for op in ("QLinearAdd", "QLinearMul") for k in KINDS),
    *(ms(op, A, *step(0.05), B, *step(0.07), ONE)("no zero point of the result", tol=STEP)
      for op in ("QLinearAdd", "QLinearMul")),
    *(ms(op, whole(4), *step(0.05), whole(3, 4), *step(0.07), *step(0.5))(
          "a row on the left", tol=STEP) for op in ("QLinearAdd", "QLinearMul")),
    *(ms(op, f(1), ONE, None, f(2), ONE, None, ONE)("floats", raises=BadType)
      for op in ("QLinearAdd", "QLinearMul")),
    *(ms("QLinearLeakyRelu", whole(4, 9, kind=k), *step(0.05, k), *step(0.03, k), alpha=0.2)(
          f"of {k.__name__}", tol=STEP) for k in KINDS),
    *(ms("QLinearSigmoid", whole(4, 9, kind=k), *step(0.05, k), *step(1 / 256, k))(
          f"of {k.__name__}", tol=STEP) for k in KINDS),
    *(ms("QLinearSoftmax", whole(2, 3, 4, kind=k), *step(0.05, k), *step(1 / 256, k), opset=13,
         axis=axis)(f"along {axis} of {k.__name__}", tol=STEP) for k in KINDS for axis in (-1, 1)),
    ms("QLinearSoftmax", whole(2, 3, 4), *step(0.05), *step(1 / 256), opset=12, axis=1)(
        "all axes from the second on", tol=STEP),
    *(ms("QLinearConcat", *step(0.11, k), whole(2, 3, kind=k), *step(0.05, k),
         whole(2, 4, kind=k), *step(0.07, k), axis=1)(f"of {k.__name__}", tol=STEP)
      for k in KINDS),
    ms("QLinearConcat", *step(0.11), A, *step(0.11), A, *step(0.05), axis=0)("one as it is",
       tol=STEP),
    ms("QLinearConcat", *step(0.11), axis=0)("nothing", raises=BadType),
    ms("QLinearConcat", *step(0.11), A, axis=0)("no scale", raises=BadType),
    ms("QLinearConcat", *step(0.11), A, *step(0.05), A, axis=0)("no scale of the second",
       raises=BadType),
    ms("QLinearConcat", *step(0.11), A, *step(0.05), A, None, None, axis=0)(
       "the scale of the second is left out", raises=BadType),
    *(ms("QLinearWhere", np.array([[True, False, True], [False, True, True]]),
         whole(2, 3, kind=k), *step(0.05, k), whole(2, 3, kind=k), *step(0.07, k),
         *step(0.11, k))(f"of {k.__name__}", tol=STEP) for k in KINDS),
    *(ms("QLinearGlobalAveragePool", whole(2, 3, 5, 4, kind=k), *step(0.05, k), *step(0.03, k))(
          f"of {k.__name__}", tol=STEP) for k in KINDS),
    ms("QLinearGlobalAveragePool", LAST, *step(0.05), *step(0.03), channels_last=1)(
        "channels last", tol=STEP),
    *(ms("QLinearAveragePool", whole(1, 3, 6, 6, kind=k), *step(0.05, k), *step(0.03, k), **POOL)(
          f"of {k.__name__}", tol=STEP) for k in KINDS),
    ms("QLinearAveragePool", IMAGE, *step(0.05), ONE, **POOL)("no zero point of the result",
       tol=STEP),
    ms("QLinearAveragePool", IMAGE, *step(0.05), *step(0.03), kernel_shape=[3, 3],
       pads=[1, 1, 1, 1])("padding does not count", tol=STEP),
    ms("QLinearAveragePool", IMAGE, *step(0.05), *step(0.03), kernel_shape=[3, 3],
       pads=[1, 1, 1, 1], count_include_pad=1)("padding counts", tol=STEP),
    ms("QLinearAveragePool", IMAGE, *step(0.05), *step(0.03), kernel_shape=[3, 3], strides=[2, 2],
       ceil_mode=1)("an overhanging window", tol=STEP),
    ms("QLinearAveragePool", IMAGE, *step(0.05), *step(0.03), kernel_shape=[3, 2],
       auto_pad="SAME_UPPER")("padding by size", tol=STEP),
    ms("QLinearAveragePool", LAST, *step(0.05), *step(0.03), channels_last=1, **POOL)(
        "channels last", tol=STEP),
    conv(IMAGE, scalar(0.02), scalar(0, np.int8))("one scale", tol=STEP),
    conv(IMAGE, f(0.02, 0.03, 0.01, 0.05), i(0, 0, 0, 0, dtype=np.int8), SUMS,
         pads=[1, 1, 1, 1])("a scale for each channel, a bias", tol=STEP),
    conv(LAST, scalar(0.02), scalar(0, np.int8), SUMS, channels_last=1, strides=[2, 1])(
        "channels last", tol=STEP),
    conv(IMAGE, scalar(0.02), scalar(0, np.int8), kernel_shape=[3, 3], dilations=[2, 2])(
        "an open filter", tol=STEP),
    conv(IMAGE, scalar(0.02), scalar(0, np.int8), auto_pad="SAME_UPPER")("padding by size",
         tol=STEP),
    ms("QLinearConv", rand(1, 6, 5, 5, dtype=np.uint8, low=0, high=255), *step(0.05),
       Const(FILTER), Const(scalar(0.02)), Const(scalar(0, np.int8)), *step(0.9), group=2)(
        "groups", tol=STEP),
    *(ms("QuantizeLinear", f(1, 2.5, 3.5, -3e5, 7e4), scalar(0.5), Const(scalar(3, k)))(
          f"in its domain, to {np.dtype(k).name}", tol=EXACT) for k in WIDE[:4]),
    ms("QuantizeLinear", f(1, 2.5), scalar(0.5))("in its domain, no zero point"),
    ms("QuantizeLinear", rand(2, 3), f(0.1, 0.2), i(0, 5, dtype=np.int8), axis=0)(
        "in its domain, along an axis"),
    ms("QuantizeLinear", rand(2, 3), f(0.1, 0.2, 0.3), i(0, 5, 1, dtype=np.int8))(
        "in its domain, per channel"),
    *(ms("DequantizeLinear", Const(i(1, 2, 5, dtype=k)), scalar(0.5), Const(scalar(3, k)))(
          f"in its domain, of {np.dtype(k).name}") for k in WIDE),
    ms("DequantizeLinear", i(1, -70000, dtype=np.int32), scalar(0.5))("in its domain, 32 bits"),
    ms("DequantizeLinear", i([1, 2], [3, 4], dtype=np.int8), f(0.5, 2), i(0, 1, dtype=np.int8),
       axis=0)("in its domain, along an axis"),
]  # fmt: skip
