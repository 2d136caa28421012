"""Reductions over axes; what no axes mean differs by framework."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from ..broadcast import axes_of, axis_of, ints
from ..dim import Expr
from ..errors import BadType, Unsupported
from ..model import Value
from ..operator import Operator
from ..ops import binary, index, reduce, shape, unary
from ..types import Precision
from .promotion import Number, category

Axes = tuple[int, ...] | None


def axes_in(x: Value, axis: Axes) -> tuple[int, ...]:
    """Axes that are named, none for all; a tensor without axes takes 0 and -1."""
    if axis is None:
        return ()
    if not x.rank:
        axes_of(axis, 1)
        return ()
    return axes_of(axis, x.rank)


def reduce_axes(operator: Operator, x: Value, axis: Axes, keepdim: bool) -> Value:
    """A reduction along axes; no axes at all stand for every axis."""
    if not x.rank:
        axes_in(x, axis)
        return x
    return operator(x, list(axes_in(x, axis)), keepdim=keepdim)


def reduce_extreme(operator: Operator, x: Value, axis: Axes, keepdim: bool) -> Value:
    """A maximum or minimum, which nothing at all has not."""
    if any(x.shape[a] == 0 for a in axes_in(x, axis) or range(x.rank)):
        raise BadType(f"the largest or smallest of {x.type} along {axis or 'all axes'}")
    return reduce_axes(operator, x, axis, keepdim)


def arg_extreme(operator: Operator, x: Value, axis: int, keepdim: bool) -> Value:
    """Where an element is along an axis; in a tensor without axes at 0."""
    if not x.rank:
        axis_of(axis, 1)
        return x.model.constant(0)
    return operator(x, axis=axis, keepdim=keepdim)


def count_of(x: Value, axis: Axes) -> int | Value:
    """How many elements a reduction folds into one."""
    axes = axes_in(x, axis) or tuple(range(x.rank))
    sizes = [x.shape[a] for a in axes]
    if not any(isinstance(s, Expr) for s in sizes):
        return math.prod(s for s in sizes if not isinstance(s, Expr))
    factors = [x.size(a) for a in axes]
    return functools.reduce(binary.mul, factors)


def mean_by_sum(input: Value, axes: Value, *, keepdim: bool) -> Value:
    """A mean of integers as the standard has it, by a sum in 64 bits."""
    if not input.is_integer:
        raise Unsupported(f"a mean of {input.type} by integers")
    is_long = input.precision == Precision.UINT64
    wide = input.cast(Precision.UINT64 if is_long else Precision.INT64)
    total = reduce.reduce_sum(wide, axes, keepdim=keepdim)
    named = ints(axes)
    if named is None:
        count: int | Value = _size(input) / binary.max_(_size(total), 1)
    else:
        count = count_of(input, named or None)
    if isinstance(count, int):
        return (total / max(count, 1)).cast(input.precision)
    return (total / binary.max_(count, 1).cast(wide.precision)).cast(input.precision)


def _size(x: Value) -> Value:
    """How many elements there are, as INT64."""
    return reduce.reduce_prod(shape.shape(x, dtype=Precision.INT64), [0], keepdim=False)


def product_of_open_sizes(input: Value, axes: Value, *, keepdim: bool) -> Value:
    """A product of integers along axes of which a size is open, which wraps as their products do:
    the last of the products so far. In front stands a one, as there may be no element."""
    named = ints(axes)
    if named is None or not any(isinstance(input.shape[a], Expr) for a in _along(input, named)):
        raise Unsupported(f"a product of {input.type} along open axes that are known")
    result = input.cast(Precision.INT32) if input.dtype.itemsize < 4 else input
    for axis in _along(input, named):
        pads = [int(place == 2 * axis) for place in range(2 * input.rank)]
        products = reduce.cum_prod(shape.pad(result, pads, np.ones((), result.dtype)), [axis])
        result = index.gather(products, [-1], axis=axis)
    result = result.cast(input.precision)
    return result if keepdim else shape.squeeze(result, list(_along(input, named)))


def _along(x: Value, axes: Sequence[int]) -> tuple[int, ...]:
    return axes_of(axes or range(x.rank), x.rank)


def variance(x: Value, axis: Axes, correction: Number | None, keepdim: bool) -> Value:
    """The mean square of the distance from the mean, over the count less a correction."""
    if category(x.precision) < 2 or isinstance(correction, complex):
        raise Unsupported(f"the variance of {x.type} with correction={correction!r}")
    less = 1 if correction is None else correction
    middle = reduce_axes(reduce.reduce_mean, x, axis, keepdim=True)
    apart = x - middle
    squares = unary.square(apart if x.is_float else abs(apart))
    total = reduce_axes(reduce.reduce_sum, squares, axis, keepdim)
    count = count_of(x, axis)
    if isinstance(count, int):
        return total / max(0.0, count - less)
    left = count.cast(total.precision) - less
    return total / binary.max_(left, 0)


def reduce_along(operator: Operator[Value], x: Value, axes: Value, keep_dims: bool) -> Value:
    """A reduction; unlike the standard's, no axes at all change nothing."""
    if not x.rank or 0 in axes.shape:
        return x
    known = ints(axes)
    where = axes if known is None else [axis_of(a, x.rank) for a in known]
    return operator(x, where, keepdim=keep_dims)


def reduce_bools(operator: Operator[Value], x: Value, axes: Value, keep_dims: bool) -> Value:
    """REDUCE_MIN or REDUCE_MAX of truth values: whether all or any are true."""
    wide = unary.cast(x, dtype=Precision.UINT8)
    return unary.cast(reduce_along(operator, wide, axes, keep_dims), dtype=Precision.BOOL8)
