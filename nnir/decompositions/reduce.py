"""Reductions and running results, by halves or by steps that double."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .. import build
from ..broadcast import axes_of, axis_of, ints
from ..decomposition import Level
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops import binary, compare, generate, index, logic, reduce, shape, unary
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
        first = index.slice_(result, [axis], [0], [half])
        second = index.slice_(result, [axis], [half], [2 * half])
        product = first * second
        if size % 2:
            rest = index.slice_(result, [axis], [2 * half], [size])
            product = shape.concat(product, rest, axis=axis)
        result, size = product, half + size % 2
    return result


MOST_REST = 46340
"""So many numbers below as many add up within 32 bits."""


@reduce.reduce_mean.decomposes()
def _mean_of_integers(input: Value, axes: Value, *, keepdim: bool) -> Value:
    """The mean of up to 32 bits within 32 bits: what each element adds, and the rest of all."""
    named = ints(axes)
    if named is None or not input.is_integer or input.dtype.itemsize > 4:
        raise Unsupported(f"a mean of {input.type} by integers")
    count = math.prod(build.known_sizes(input, axes_of(named, input.rank) or range(input.rank)))
    if count > MOST_REST:
        raise Unsupported(f"a mean of {count} integers by integers")
    x = input if input.precision == Precision.UINT32 else input.cast(Precision.INT32)
    size = max(count, 1)
    quotients = x // size
    rests = reduce.reduce_sum(x - quotients * size, axes, keepdim=keepdim)
    whole = rests // size
    mean = reduce.reduce_sum(quotients, axes, keepdim=keepdim) + whole
    if input.dtype.kind == "i":
        is_cut = logic.and_(mean < 0, compare.not_equal(rests, whole * size))
        mean = mean + is_cut.cast(mean.precision)
    return mean.cast(input.precision)


@reduce.reduce_log_sum_exp.decomposes(level=Level.ROUNDING)
def _reduce_log_sum_exp(input: Value, axes: Value, *, keepdim: bool) -> Value:
    """The largest element taken out before and added after, 0 where that is infinite; halves are
    added up in FLOAT32."""
    is_half = input.is_float and input.dtype.itemsize < 4
    real = input.cast(Precision.FLOAT32) if is_half else input
    shift = _finite(reduce.reduce_max(real, axes, keepdim=True))
    total = reduce.reduce_sum(unary.exp(real - shift), axes, keepdim=keepdim)
    if not keepdim:
        shift = reduce.reduce_max(shift, axes, keepdim=False)
    return (unary.log(total) + shift).cast(input.precision)


def _finite(x: Value) -> Value:
    return compare.where(abs(x) < np.inf, x, 0)


@reduce.cum_prod.decomposes(level=Level.ROUNDING)
def _cum_prod(input: Value, axis: Value | None, *, exclusive: bool, reverse: bool) -> Value:
    known = (-1,) if axis is None or input.rank == 1 else ints(axis)
    if known is None:
        raise NotConstant("the axis of a running product")
    at = axis_of(known[0], input.rank)
    (size,) = build.known_sizes(input, [at])
    result = _running(input, at, size, binary.mul, 1, reverse=reverse)
    return _shift_along(result, at, 1, 1, reverse=reverse) if exclusive and size else result


@reduce.reduce_min.decomposes()
def _reduce_min(input: Value, axes: Value, *, keepdim: bool) -> Value:
    return opposite(reduce.reduce_max(opposite(input), axes, keepdim=keepdim))


def opposite(x: Value) -> Value:
    """Numbers that are large where those are small, all of them exactly: none wraps."""
    if x.precision == Precision.BOOL8:
        return logic.not_(x)
    if x.is_float:
        return -x
    return (-1 if x.dtype.kind == "i" else reduce.highest(x.dtype)) - x


def find_opposite(input: Value, *, axis: int, keepdim: bool, dtype: Precision) -> Value:
    """ARG_MIN: where the largest opposite is."""
    return reduce.arg_max(opposite(input), axis=axis, keepdim=keepdim, dtype=dtype)


@reduce.cum_max.decomposes()
def _cum_max(input: Value, *, axis: int) -> tuple[Value, Value]:
    return _extreme(input, axis, binary.max_)


@reduce.cum_min.decomposes()
def _cum_min(input: Value, *, axis: int) -> tuple[Value, Value]:
    return _extreme(input, axis, binary.min_)


def _extreme(input: Value, axis: int, join: Join) -> tuple[Value, Value]:
    """The best so far, and the last place that has it: the largest place so far that equals it."""
    if input.precision == Precision.BOOL8:
        values, places = _extreme(input.cast(Precision.INT8), axis, join)
        return values.cast(Precision.BOOL8), places
    if not input.is_float and not input.is_integer:
        raise Unsupported(f"the best element so far of {input.type}")
    at = axis_of(axis, input.rank)
    (size,) = build.known_sizes(input, [at])
    values = _running(input, at, size, join, None, reverse=False)
    is_best = compare.equal(input, values) | compare.not_equal(input, input)
    count = build.arange_along(input, at, aligned=True)
    places = compare.where(is_best, count, count.scalar(0))
    return values, _running(places, at, size, binary.max_, 0, reverse=False)


def _running(
    x: Value, axis: int, size: int, join: Join, nothing: float | None, *, reverse: bool
) -> Value:
    """Each element joined with all before it: the span doubles in every step.

    `nothing` changes no element that it is joined with; None where the first element may come
    again and again.
    """
    result, span = x, 1
    while span < size:
        result = join(result, _shift_along(result, axis, span, nothing, reverse=reverse))
        span *= 2
    return result


def _shift_along(x: Value, axis: int, span: int, nothing: float | None, *, reverse: bool) -> Value:
    """Every element `span` places later, or earlier, behind `nothing`, or the first."""
    sizes = [span if a == axis else build.size_of(x, a) for a in range(x.rank)]
    if nothing is None:
        gap = shape.expand(index.slice_(x, [axis], [0], [1]), build.vector(x.model, sizes))
    else:
        gap = generate.fill(build.vector(x.model, sizes), x.scalar(nothing))
    begin, end = (span, build.END) if reverse else (0, -span)
    rest = index.slice_(x, [axis], [begin], [end])
    return shape.concat(*((rest, gap) if reverse else (gap, rest)), axis=axis)
