"""Elementwise functions of one tensor."""

from __future__ import annotations

import math

import numpy as np

from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import activation, binary, compare, complex, index, logic, shape, unary
from ..types import Precision
from .promotion import COMPLEX, promote_to_float, round_once


def trunc(x: Value) -> Value:
    """The integer part, rounded toward zero."""
    if not x.is_float:
        return x
    below = x < 0
    return compare.where(below, unary.ceil(x), unary.floor(x))


def round_decimals(x: Value, decimals: int) -> Value:
    """`x` rounded to so many decimal places; to tens, hundreds where that is negative."""
    if decimals == 0:
        return unary.round_(x) if x.is_float else x
    to, back = (binary.mul, binary.div) if decimals > 0 else (binary.div, binary.mul)

    def body(y: Value) -> Value:
        scale = y.scalar(10.0 ** abs(decimals))
        return back(unary.round_(to(y, scale)), scale)

    return round_once(body, x)


def sgn(x: Value) -> Value:
    """The sign, of NaN 0; of complex numbers the number divided by its size."""
    return sign_of(x) if x.precision in COMPLEX else sign(x)


def sign(x: Value) -> Value:
    """The sign; of NaN 0."""
    if x.precision == Precision.BOOL8:
        return x
    found = unary.sign(x)
    # PyTorch's sign of NaN is 0
    return compare.where(is_nan(x), 0, found) if x.is_float else found


SAME_SIZE = {1: Precision.INT8, 2: Precision.INT16, 4: Precision.INT32, 8: Precision.INT64}
"""By the bytes of a float the integer with the same bits."""


def signbit(x: Value) -> Value:
    """Where the sign bit is set, of -0.0 too."""
    if x.precision == Precision.BOOL8:
        return false_like(x)
    bits = x
    if x.is_float:
        bits = unary.bit_cast(x, dtype=SAME_SIZE[x.dtype.itemsize])
    return bits < 0


def false_like(x: Value) -> Value:
    """False in the shape of `x`."""
    truth = x.cast(Precision.BOOL8)
    return truth ^ truth


def is_nan(x: Value) -> Value:
    """Where the elements are NaN."""
    return compare.not_equal(x, x)


def isfinite(x: Value) -> Value:
    """Where the elements are neither infinite nor NaN."""
    if not x.is_float and x.precision not in COMPLEX:
        return compare.equal(x, x)
    size = abs(x)  # of complex numbers too: infinite where a part is
    return size < math.inf


def isinf(x: Value) -> Value:
    """Where the elements are infinite."""
    if not x.is_float and x.precision not in COMPLEX:
        return compare.not_equal(x, x)
    size = abs(x)
    return compare.equal(size, math.inf)


def angle(input: Value) -> Value:
    """The angle of complex numbers; of real ones 0 or pi."""
    if input.precision in COMPLEX:
        return complex.angle(input)
    (x,) = promote_to_float(input)
    below = x < 0
    result = compare.where(below, x.scalar(math.pi), x.scalar(0))
    return compare.where(is_nan(x), x, result) if input.is_float else result


def logit(input: Value, eps: float | None) -> Value:
    """log(x / (1 - x)), after clipping to [eps, 1 - eps]."""

    def body(x: Value) -> Value:
        if eps is not None:
            x = activation.clip(x, eps, 1 - eps)
        return unary.log(x / (1 - x))

    return round_once(body, *promote_to_float(input))


def logical_not(x: Value) -> Value:
    """Where the elements are 0."""
    if x.precision == Precision.BOOL8:
        return ~x
    return compare.equal(x, 0)


UNSIGNED = {1: Precision.UINT8, 2: Precision.UINT16, 4: Precision.UINT32, 8: Precision.UINT64}
"""Integers without a sign by their width in bytes."""


def sign_of(x: Value) -> Value:
    """-1, 0 or 1 of real numbers; of complex ones x / |x|."""
    if x.dtype.kind != "c":
        return unary.sign(x)
    size = abs(x)
    nothing = compare.equal(size, 0)
    return x / compare.where(nothing, 1, size).cast(x.precision)


def reinterpret_bits(input: Value, *, type: Precision) -> Value:
    """Of another width: the last axis holds the parts of an element, the lowest first."""
    old, new = input.dtype.itemsize, type.dtype.itemsize
    if old == new:
        return unary.bit_cast(input, dtype=type)
    if old not in UNSIGNED or new not in UNSIGNED or type == Precision.BOOL8:
        raise Unsupported(f"Bitcast of {input.precision.name} to {type.name}")
    whole = unary.bit_cast(input, dtype=UNSIGNED[old])
    if old > new:
        steps = np.arange(0, 8 * old, 8 * new, dtype=whole.dtype)
        parts = logic.bit_shift(
            shape.unsqueeze(whole, [-1]), input.model.constant(steps), left=False
        )
        return unary.bit_cast(parts.cast(UNSIGNED[new]), dtype=type)
    if input.rank == 0 or input.shape[-1] != new // old:
        raise BadType(f"Bitcast of {input.type} to {type.name}: a last axis of {new // old}")
    result: Value | None = None
    for k in range(new // old):
        part = index.gather(whole, k, axis=-1).cast(UNSIGNED[new])
        step = input.model.constant(np.array(8 * old * k, UNSIGNED[new].dtype))
        part = logic.bit_shift(part, step, left=True) if k else part
        result = part if result is None else result | part
    return unary.bit_cast(result, dtype=type)
