"""Arithmetic of two tensors."""

from __future__ import annotations

from collections.abc import Callable

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
