"""Elementwise functions of one tensor."""

from __future__ import annotations

import math

from ..model import Value
from ..ops import activation, binary, compare, complex, unary
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
    """The sign; of complex numbers the number divided by its size."""
    if x.precision not in COMPLEX:
        return sign(x)
    size = abs(x)
    unit = x / size.cast(x.precision)
    return compare.where(compare.equal(size, 0), 0, unit)


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


def logit(input: Value, eps: float | None = None) -> Value:
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
