"""Norms of vectors."""

from __future__ import annotations

import math

from ..broadcast import axes_of
from ..model import Value
from ..ops import compare, reduce, shape, unary

Axes = tuple[int, ...] | None


def vector_norm(x: Value, order: float, axis: Axes, keepdim: bool) -> Value:
    """The `order`-norm of vectors along axes, of everything without axes."""
    axes: list[int] = []
    if not x.rank:
        x, keepdim, axis = shape.reshape(x, [1]), False, None
    elif axis:
        axes = list(axes_of(axis, x.rank))
    size = x if order == 2 and x.dtype.kind != "c" else abs(x)
    result: Value
    if order == 2:
        result = unary.sqrt(reduce.reduce_sum(unary.square(size), axes, keepdim=keepdim))
    elif order == 1:
        result = reduce.reduce_sum(size, axes, keepdim=keepdim)
    elif order == math.inf:
        result = reduce.reduce_max(size, axes, keepdim=keepdim)
    elif order == -math.inf:
        result = reduce.reduce_min(size, axes, keepdim=keepdim)
    elif order == 0:
        some = compare.not_equal(size, 0).cast(size.precision)
        result = reduce.reduce_sum(some, axes, keepdim=keepdim)
    else:
        powers = size**order
        total = reduce.reduce_sum(powers, axes, keepdim=keepdim)
        result = total ** (1 / order)
    return result
