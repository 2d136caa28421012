"""Reductions along axes that a tensor lists."""

from __future__ import annotations

from ..broadcast import axis_of, ints
from ..model import Value
from ..operator import Operator
from ..ops import unary
from ..types import Precision


def reduce_along(operator: Operator, x: Value, axes: Value, keep_dims: bool) -> Value:
    """A reduction; unlike the standard's, no axes at all change nothing."""
    if not x.rank or axes.shape == (0,):
        return x
    known = ints(axes)
    where = axes if known is None else [axis_of(a, x.rank) for a in known]
    return operator(x, where, keepdim=keep_dims)


def reduce_bools(operator: Operator, x: Value, axes: Value, keep_dims: bool) -> Value:
    """REDUCE_MIN or REDUCE_MAX of truth values: whether all or any are true."""
    wide = unary.cast(x, dtype=Precision.UINT8)
    return unary.cast(reduce_along(operator, wide, axes, keep_dims), dtype=Precision.BOOL8)
