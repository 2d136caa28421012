"""What Python's symbols and the methods of values append to a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..broadcast import axis_of
from ..dim import Expr
from ..model import Value
from ..operator import Operator
from ..types import Precision
from . import binary, compare, index, logic, shape, unary


def cast(x: Value, to: Precision) -> Value:
    """`x` in another precision; itself where that changes nothing, and a number at once."""
    if x.precision == to:
        return x
    if x.constant is not None and x.constant.size == 1:
        return x.model.constant(x.constant.astype(to.dtype))
    return unary.cast(x, dtype=to)


def scalar(x: Value, number: complex) -> Value:
    """A constant of rank 0 in the precision and the model of `x`."""
    return x.model.constant(number, x.dtype)


def size(x: Value, axis: int) -> Value:
    """The size of one axis as an int64 tensor of rank 0; a constant where it is known."""
    axis = axis_of(axis, x.rank)
    known = x.shape[axis]
    if not isinstance(known, Expr):
        return x.model.constant(np.int64(known))
    return index.gather(shape.shape(x, dtype=Precision.INT64), np.int64(axis), axis=0)


def _by_kind(of_truth: Operator, of_bits: Operator) -> Any:
    """One operator on truth values, another one on the bits of integers."""

    def append(*sides: Any) -> Value:
        first = next(v for v in sides if isinstance(v, Value))
        return (of_truth if first.precision == Precision.BOOL8 else of_bits)(*sides)

    return append


MEANINGS: dict[str, Callable[..., Value]] = {
    "add": binary.add,
    "sub": binary.sub,
    "mul": binary.mul,
    "div": binary.div,
    "floor_div": binary.floor_div,
    "mod": binary.mod,
    "pow": binary.pow_,
    "neg": unary.neg,
    "abs": unary.abs_,
    "less": compare.less,
    "less_equal": compare.less_equal,
    "greater": compare.greater,
    "greater_equal": compare.greater_equal,
    "invert": _by_kind(logic.not_, logic.bitwise_not),
    "and": _by_kind(logic.and_, logic.bitwise_and),
    "or": _by_kind(logic.or_, logic.bitwise_or),
    "xor": _by_kind(logic.xor, logic.bitwise_xor),
    "cast": cast,
    "scalar": scalar,
    "size": size,
}
