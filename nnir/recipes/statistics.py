"""Medians, modes and histograms."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import axis_of
from ..errors import BadType
from ..model import Index, Value
from ..ops import binary, compare, generate, index, reduce, shape, sort, unary
from ..ops.reduce import highest
from ..types import Precision
from .unary import is_nan


def sort_axis(x: Value, axis: int) -> tuple[Value, Value]:
    """The elements in ascending order, NaN last, and where they were."""
    values, places = sort.top_k(x, x.size(axis), axis=axis, largest=False)
    return values, places


def count_nan(x: Value, axis: int) -> Value:
    """How many elements along an axis are NaN; the axis stays."""
    mask = is_nan(x).cast(Precision.INT64)
    return reduce.reduce_sum(mask, [axis], keepdim=True)


def median_along(x: Value, axis: int, *, without_nan: bool) -> tuple[Value, Value]:
    """The lower median and where it is: of what is not NaN, or the first NaN."""
    values, places = sort_axis(x, axis)
    size = x.size(axis)
    half = (size - 1) / 2
    if x.is_float:
        bad = count_nan(x, axis)
        left = size - bad
        if without_nan:
            at = binary.max_((left - 1) / 2, 0)
        else:
            at = compare.where(compare.equal(bad, 0), half, left)
        return _pick(values, at, axis), _pick(places, at, axis)
    place = build.reshape_to(half, build.vector(x.model, [1]))
    return index.gather(values, place, axis=axis), index.gather(places, place, axis=axis)


def _pick(x: Value, at: Value, axis: int) -> Value:
    return index.gather_elements(x, at, axis=axis)


def drop_axis(x: Value, axis: int, keepdim: bool) -> Value:
    """An axis of size 1, kept or not."""
    return x if keepdim else shape.squeeze(x, [axis])


def mode(x: Value, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """The smallest of the most frequent elements, found by comparing all pairs."""
    axis = axis_of(dim, max(x.rank, 1))
    if not x.rank:
        return x, x.model.constant(0)
    if x.shape[axis] == 0:
        raise BadType(f"the mode of {x.type} along axis {dim}, which has no elements")
    pairs = compare.equal(shape.unsqueeze(x, [axis]), shape.unsqueeze(x, [axis + 1]))
    counts = reduce.reduce_sum(pairs.cast(Precision.INT64), [axis], keepdim=False)
    most = compare.equal(counts, reduce.reduce_max(counts, [axis], keepdim=True))
    wide = x.cast(Precision.UINT8) if x.precision == Precision.BOOL8 else x
    rest = compare.where(most, wide, highest(wide.dtype))
    value = reduce.reduce_min(rest, [axis], keepdim=True)
    places = build.arange_along(x, axis, aligned=True)
    same = compare.where(compare.equal(wide, value), places, 0)
    place = reduce.reduce_max(same, [axis], keepdim=keepdim)
    return drop_axis(value, axis, keepdim).cast(x.precision), place


def histogram_counts(x: Value, low: Value, high: Value, count: int, weight: Value | None) -> Value:
    """How much lies in each of `count` bins of one width; the last one has its upper end."""
    inside = (x >= low) & (x <= high)
    steps = (x - low) * count / (high - low)
    at = binary.min_(unary.floor(steps), count - 1)
    return count_bins(at, inside, x.model.constant(np.arange(count), x.dtype), weight)


def count_bins(at: Value, inside: Value, bins: Value, weight: Value | None) -> Value:
    """How often each of some numbers occurs in `at`, where `inside` holds."""
    hits = compare.equal(shape.unsqueeze(at, [1]), shape.unsqueeze(bins, [0]))
    hits = hits & shape.unsqueeze(inside, [1])
    if weight is None:
        amounts = hits.cast(bins.precision)
    else:  # not a product, which would spread NaN
        amounts = compare.where(hits, shape.unsqueeze(weight, [1]), 0)
    return reduce.reduce_sum(amounts, [0], keepdim=False)


def histogram_ends(x: Value, low: float, high: float, margin: float) -> tuple[Value, Value]:
    """The range of a histogram: that of the elements where both ends are equal, never empty."""
    if low != high:
        return x.scalar(low), x.scalar(high)
    least, most = x.scalar(low), x.scalar(high)
    if x.shape[0] != 0:
        least, most = (f(x, [], keepdim=False) for f in (reduce.reduce_min, reduce.reduce_max))
    same, one = compare.equal(least, most), x.scalar(margin)
    return (
        compare.where(same, least - one, least),
        compare.where(same, most + one, most),
    )


def bincount(input: Value, weights: Value | None = None, minlength: Index = 0) -> Value:  # type: ignore[assignment]
    """As many counts as the largest element, plus 1, says."""
    x = input.cast(Precision.INT64)
    least = minlength if isinstance(minlength, Value) else x.model.constant(minlength)
    largest = binary.max_(reduce.reduce_max(x, [], keepdim=False), -1)
    size = binary.max_(largest + 1, least)
    bins = generate.range_(x.model.constant(0), size, x.model.constant(1))
    if weights is not None and weights.precision != Precision.FLOAT32:
        weights = weights.cast(Precision.FLOAT64)
    return count_bins(x, compare.equal(x, x), bins, weights)
