"""Products of integers that stand for real numbers, exact until they are scaled."""

from __future__ import annotations

import numpy as np

from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import activation, binary, compare, linear, quant, reduce, shape, unary
from ..types import Precision


def quantize_dynamically(x: Value) -> tuple[Value, Value, Value]:
    """UINT8 steps of a scale between the extremes of `x` and 0, the scale and the zero point."""
    scale, zero = spread_steps(x, [])
    zero_point = zero.cast(Precision.UINT8)
    return quant.quantize_linear(x, scale, zero_point), scale, zero_point


def spread_steps(x: Value, axes: list[int]) -> tuple[Value, Value]:
    """The scale of 255 steps between the extremes along axes, of everything without any, and the
    step that 0 is."""
    high, low = (
        bound(fold(x, axes, keepdim=bool(axes)), 0)
        for bound, fold in ((binary.max_, reduce.reduce_max), (binary.min_, reduce.reduce_min))
    )
    scale = compare.where(compare.equal(high, low), 1, high - low) / 255
    return scale, unary.round_(activation.clip(0 - low / scale, 0, 255))


def multiply_integers(
    a: Value, b: Value, a_zero_point: Value | None = None, b_zero_point: Value | None = None
) -> Value:
    """The product of matrices in INT32, each less its zero point.

    A vector of zero points has one for each row of `a`, or for each column of `b`.
    """
    rows = None if a_zero_point is None else spread_rows(a_zero_point)
    return linear.mat_mul(_less(a, rows), _less(b, b_zero_point))


def _less(value: Value, zero_point: Value | None) -> Value:
    whole = value.cast(Precision.INT32)
    return whole if zero_point is None else whole - zero_point.cast(Precision.INT32)


def spread_rows(value: Value) -> Value:
    """A vector with an entry for each row, beside a matrix."""
    return shape.unsqueeze(value, [1]) if value.rank == 1 and value.shape[0] != 1 else value


def as_number(x: Value) -> Value:
    """A vector of one number without its axis; other values as they are."""
    return shape.reshape(x, []) if x.shape == (1,) else x


def multiply_to_real(
    a: Value,
    b: Value,
    a_scale: Value,
    b_scale: Value,
    a_zero_point: Value | None = None,
    b_zero_point: Value | None = None,
    bias: Value | None = None,
) -> Value:
    """The exact product of integers in FLOAT32; scales of `b` may be one for each column."""
    is_one = b_scale.shape in ((), (1,))
    if bias is not None and (bias.rank != 1 or not (is_one or (b.rank == 2 and b_scale.rank == 1))):
        raise Unsupported(
            f"{bias.type} added to a product with {b.type} in steps of {b_scale.type}, where ONNX "
            "Runtime scales what is added"
        )
    whole = multiply_integers(a, b, a_zero_point, b_zero_point).cast(Precision.FLOAT32)
    real = whole * (as_number(a_scale) * as_number(b_scale))
    return real if bias is None else real + bias


def multiply_dynamically(
    a: Value,
    b: Value,
    b_scale: Value,
    b_zero_point: Value | None = None,
    bias: Value | None = None,
) -> Value:
    """As `multiply_to_real`, of `a` in integers by its own extremes."""
    steps, scale, zero_point = quantize_dynamically(a)
    return multiply_to_real(steps, b, scale, b_scale, zero_point, b_zero_point, bias)


def requantize(product: Value, factor: Value, zero_point: Value | None) -> Value:
    """round(product * factor) + zero_point, clipped to the type of the zero point."""
    if zero_point is None:
        raise BadType(f"integers of {product.type} without a zero point, which says their type")
    real = product.cast(Precision.FLOAT32) * factor
    shifted = unary.round_(real) + zero_point.cast(Precision.FLOAT32)
    kind = np.iinfo(zero_point.dtype)
    bounds = float(kind.min), float(kind.max)
    return activation.clip(shifted, *bounds).cast(zero_point.precision)
