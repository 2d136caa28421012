"""Reductions and running results, by halves or by steps that double."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import build
from ..broadcast import axes_of, axis_of, ints
from ..decomposition import Level
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops import binary, compare, index, logic, reduce, shape, unary
from ..types import Precision
from .conv import pad_axes

Join = Callable[[Value, Value], Value]


@reduce.reduce_prod.decomposes(level=Level.ROUNDING)
def _reduce_prod(input: Value, axes: Value, *, keepdim: bool) -> Value:
    """The product of both halves along each axis, until one element is left."""
    named = ints(axes)
    if named is None:
        raise NotConstant("the axes of a product")
    result, places = input, axes_of(named, input.rank) or range(input.rank)
    for axis in places:
        result = _fold(result, axis)
    return result if keepdim or not places else shape.squeeze(result, list(places))


def _fold(x: Value, axis: int) -> Value:
    (size,) = build.known_sizes(x, [axis])
    result = x if size else pad_axes(x, {axis: (0, 1)}, 1)
    while size > 1:
        half = size // 2
        first = index.slice_(result, [axis], [0], [half], [1])
        second = index.slice_(result, [axis], [half], [2 * half], [1])
        product = first * second
        if size % 2:
            rest = index.slice_(result, [axis], [2 * half], [size], [1])
            product = shape.concat(product, rest, axis=axis)
        result, size = product, half + size % 2
    return result


@reduce.reduce_log_sum_exp.decomposes(level=Level.ROUNDING)
def _reduce_log_sum_exp(input: Value, axes: Value, *, keepdim: bool) -> Value:
    """The largest element taken out before and added after."""
    highest = reduce.reduce_max(input, axes, keepdim=True)
    finite = abs(highest) < np.inf
    offset = compare.where(finite, highest, 0)
    total = reduce.reduce_sum(unary.exp(input - offset), axes, keepdim=True)
    result = unary.log(total) + offset
    if keepdim:
        return result
    named = ints(axes)
    if named is None:
        raise NotConstant("the axes of a sum")
    places = axes_of(named, input.rank) or range(input.rank)
    return shape.squeeze(result, list(places)) if places else result


@reduce.cum_prod.decomposes(level=Level.ROUNDING)
def _cum_prod(input: Value, axis: Value, *, exclusive: bool, reverse: bool) -> Value:
    known = ints(axis)
    if known is None:
        raise NotConstant("the axis of a running product")
    at = axis_of(known[0], input.rank)
    (size,) = build.known_sizes(input, [at])
    result = _running(input, at, size, binary.mul, 1, reverse=reverse)
    if not exclusive:
        return result
    shift = (-1, 1) if reverse else (1, -1)
    return pad_axes(result, {at: shift}, 1) if size else result


@reduce.reduce_min.decomposes()
def _reduce_min(input: Value, axes: Value, *, keepdim: bool) -> Value:
    """The opposite of the largest opposite; no opposite of an integer wraps."""
    if input.precision == Precision.BOOL8:
        return logic.not_(reduce.reduce_max(logic.not_(input), axes, keepdim=keepdim))
    if input.is_float:
        return -reduce.reduce_max(-input, axes, keepdim=keepdim)
    last = -1 if input.dtype.kind == "i" else reduce.highest(input.dtype)
    return last - reduce.reduce_max(last - input, axes, keepdim=keepdim)


@reduce.cum_max.decomposes()
def _cum_max(input: Value, *, axis: int) -> tuple[Value, Value]:
    return _extreme(input, axis, binary.max_, reduce.lowest)


@reduce.cum_min.decomposes()
def _cum_min(input: Value, *, axis: int) -> tuple[Value, Value]:
    return _extreme(input, axis, binary.min_, reduce.highest)


def _extreme(
    input: Value, axis: int, join: Join, identity: Callable[[np.dtype], Any]
) -> tuple[Value, Value]:
    """The best so far, and the last place that has it: the largest place so far that equals it."""
    if input.precision == Precision.BOOL8:
        values, places = _extreme(input.cast(Precision.INT8), axis, join, identity)
        return values.cast(Precision.BOOL8), places
    if not input.is_float and not input.is_integer:
        raise Unsupported(f"the best element so far of {input.type}")
    at = axis_of(axis, input.rank)
    (size,) = build.known_sizes(input, [at])
    values = _running(input, at, size, join, identity(input.dtype), reverse=False)
    is_best = compare.equal(input, values) | compare.not_equal(input, input)
    count = build.arange_along(input, at, aligned=True)
    places = compare.where(is_best, count, count.scalar(0))
    return values, _running(places, at, size, binary.max_, 0, reverse=False)


def _running(x: Value, axis: int, size: int, join: Join, nothing: float, *, reverse: bool) -> Value:
    """Each element joined with all before it: the span doubles in every step."""
    result, span = x, 1
    while span < size:
        pair = (-span, span) if reverse else (span, -span)
        result = join(result, pad_axes(result, {axis: pair}, nothing))
        span *= 2
    return result
