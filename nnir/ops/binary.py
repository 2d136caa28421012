"""Elementwise arithmetic on two tensors, with NumPy broadcasting and an optional activation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..broadcast import broadcast
from ..model import Value
from ..numeric import fused, wide
from ..operator import Operator, carry, operator, require
from ..types import Fuse, TensorType

Ufunc = Callable[[np.ndarray, np.ndarray], np.ndarray]


def arithmetic(name: str, function: Ufunc, code: int, summary: str, *, edges: str) -> Operator:
    """An operator `fuse(function(input0, input1))` on numbers of one type."""

    @wide
    def reference(
        input0: np.ndarray, input1: np.ndarray, *, fuse_code: Fuse = Fuse.NONE
    ) -> np.ndarray:
        return fused(np.asarray(function(input0, input1), input0.dtype), fuse_code)

    def rule(input0: Value, input1: Value, *, fuse_code: Fuse = Fuse.NONE) -> TensorType:
        left, right = input0.type, input1.type
        require(
            left.precision == right.precision,
            f"{name} needs two operands of one type, not {left} and {right}",
        )
        require(
            left.precision.is_float or left.precision.is_integer or left.precision.is_quantized,
            f"{name} needs numbers, not {left}",
        )
        if left.shape == right.shape:
            return left
        return left.with_shape(broadcast(left.shape, right.shape))

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: two numbers of one precision; the result has it too.\n"
        f"    Shapes: broadcast as in NumPy; `fuse_code` clamps the result.\n    Edges: {edges}\n    "
    )
    return operator(code=code, reference=reference, content=carry(reference))(rule)


def _truncated(input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
    if input0.dtype.kind not in "iuO":
        return np.divide(input0, input1)
    if input0.dtype.kind in "uO":  # sizes are never negative
        return input0 // input1
    quotient = np.floor_divide(input0, input1)
    inexact = quotient * input1 != input0
    return quotient + (inexact & ((input0 < 0) != (input1 < 0)))


def _power(input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
    if input0.dtype.kind not in "iu":
        return np.power(input0, input1)
    return np.power(input0.astype(np.float64), input1.astype(np.float64))


_WRAP = "Integers wrap."
add = arithmetic("add", np.add, 3, "input0 + input1.", edges=_WRAP)
div = arithmetic(
    "div", _truncated, 20, "input0 / input1.", edges="Integers truncate toward zero, as in C."
)
floor_div = arithmetic(
    "floor_div", np.floor_divide, 28, "The quotient rounded down.", edges="-7 by 2 is -4."
)
max_ = arithmetic("max_", np.maximum, 48, "The larger of the two.", edges="NaN wins.")
min_ = arithmetic("min_", np.minimum, 51, "The smaller of the two.", edges="NaN wins.")
mul = arithmetic("mul", np.multiply, 52, "input0 * input1.", edges=_WRAP)
pow_ = arithmetic(
    "pow_", _power, 57, "input0 to the power input1.", edges="Integers go through float64."
)
sub = arithmetic("sub", np.subtract, 83, "input0 - input1.", edges=_WRAP)
