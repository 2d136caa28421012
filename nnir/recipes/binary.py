"""Arithmetic of two tensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..model import Value
from ..ops import binary, logic, unary
from ..types import Precision
from .promotion import HALVES, Operand, common_precision, promote, promote_to


def apply_promoted(body: Callable[[Value, Value], Value], x: Value, other: Operand) -> Value:
    """`body` of both. A number that 16-bit floats do not have stays what it is."""
    precision = common_precision(x, other)
    if precision not in HALVES or isinstance(other, (Value, complex)):
        return body(*promote(x, other))
    if float(precision.dtype.type(float(other))) == other:
        return body(*promote(x, other))
    wide = promote_to(Precision.FLOAT32, x.cast(precision), other)
    return body(*wide).cast(precision)


def mul(x: Value, other: Operand) -> Value:
    """The product in the common precision of both."""
    is_bool = common_precision(x, other) == Precision.BOOL8
    return apply_promoted(logic.and_ if is_bool else binary.mul, x, other)


def floor_of_quotient(x: Value, y: Value) -> Value:
    """The quotient, rounded down: of floats after it was rounded, so that it may be infinite."""
    return unary.floor(x / y) if x.is_float else x // y


def power(x: Value, y: Value) -> Value:
    """x to the power y in the type of `x`, rounded once."""
    common = _common(x, y)
    power = x.cast(common) ** y.cast(common)
    return power.cast(x.precision)


def _common(x: Value, y: Value) -> Precision:
    """A type that holds base and exponent, wide enough that the power is rounded once."""
    if x.precision == y.precision or _holds(x, y):
        return x.precision
    if x.is_integer and y.is_integer:
        unsigned = Precision.UINT64 in (x.precision, y.precision)
        return Precision.UINT64 if unsigned else Precision.INT64
    return Precision.FLOAT64


def _holds(x: Value, y: Value) -> bool:
    """Whether y is a constant that the type of x holds exactly, such as the 2 of a square."""
    if y.constant is None or not x.is_float:
        return False
    return bool((y.constant.astype(x.dtype).astype(np.float64) == y.constant).all())
