"""Logical and bitwise operators."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..model import Value
from ..operator import Operator, Pattern, operator, require
from ..types import Precision, TensorType
from .binary import same_type

Ufunc = Callable[[np.ndarray, np.ndarray], np.ndarray]


def logical(name: str, function: Ufunc, code: int, summary: str, *, since: str = "v1") -> Operator:
    """An operator on two truth values."""

    def reference(input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
        return function(input0, input1)

    def rule(input0: Value, input1: Value) -> TensorType:
        _require_bool(name, input0)
        return same_type(name, input0, input1)

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = f"{summary}\n\n    Types: BOOL8.\n    Shapes: broadcast as in NumPy.\n    "
    return operator(
        pattern=Pattern.ELEMENTWISE, code=code, reference=reference, since=since, commutes=True
    )(rule)


def bitwise(name: str, function: Ufunc, code: int, summary: str) -> Operator:
    """An operator on the bits of two integers."""

    def reference(input0: np.ndarray, input1: np.ndarray) -> np.ndarray:
        return function(input0, input1)

    def rule(input0: Value, input1: Value) -> TensorType:
        _require_integer(name, input0)
        return same_type(name, input0, input1)

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: two integers of one precision; the result has it too.\n"
        "    Shapes: broadcast as in NumPy.\n    "
    )
    return operator(pattern=Pattern.ELEMENTWISE, code=code, reference=reference, commutes=True)(
        rule
    )


def _require_bool(name: str, input: Value) -> None:
    require(input.precision == Precision.BOOL8, f"{name} needs BOOL8 operands, not {input.type}")


def _require_integer(name: str, input: Value) -> None:
    whole = input.is_integer and input.dtype.kind in "iu"
    require(whole, f"{name} needs integers of at least 8 bits, not {input.type}")


and_ = logical("and_", np.logical_and, 4, "Whether both are true.")
or_ = logical("or_", np.logical_or, 55, "Whether one of the two is true.")
xor = logical("xor", np.logical_xor, 93, "Whether exactly one of the two is true.", since="v1.1")
bitwise_and = bitwise("bitwise_and", np.bitwise_and, 1150, "The bits that both have.")
bitwise_or = bitwise("bitwise_or", np.bitwise_or, 1151, "The bits that one of the two has.")
bitwise_xor = bitwise("bitwise_xor", np.bitwise_xor, 1152, "The bits that exactly one has.")


def _not(input: np.ndarray) -> np.ndarray:
    return np.logical_not(input)


@operator(pattern=Pattern.ELEMENTWISE, code=53, reference=_not)
def not_(input: Value) -> TensorType:
    """Whether the element is false.

    Types: BOOL8.
    """
    _require_bool("not", input)
    return input.type


def _bitwise_not(input: np.ndarray) -> np.ndarray:
    return np.bitwise_not(input)


@operator(pattern=Pattern.ELEMENTWISE, code=1153, reference=_bitwise_not)
def bitwise_not(input: Value) -> TensorType:
    """Every bit the other way round.

    Types: any integer; the result has the type and shape of `input`.
    """
    _require_integer("bitwise_not", input)
    return input.type


def _bit_shift(input0: np.ndarray, input1: np.ndarray, *, left: bool) -> np.ndarray:
    width = input0.dtype.itemsize * 8
    inside = (input1 >= 0) & (input1 < width)
    by = np.where(inside, input1, input1.dtype.type(0))
    if not left:
        empty = np.where(input0 < 0, np.bitwise_not(input0.dtype.type(0)), input0.dtype.type(0))
        return np.where(inside, np.right_shift(input0, by), empty)
    return np.where(inside, np.left_shift(input0, by), input0.dtype.type(0))


@operator(pattern=Pattern.ELEMENTWISE, code=1154, reference=_bit_shift)
def bit_shift(input0: Value, input1: Value, *, left: bool) -> TensorType:
    """Shift the bits of input0 by input1 places, to the left or to the right.

    Types: two integers of one precision; the result has it too.
    Shapes: broadcast as in NumPy.
    Edges: to the right the sign is kept; a count outside [0, width) shifts everything out.
    """
    _require_integer("bit_shift", input0)
    return same_type("bit_shift", input0, input1)
