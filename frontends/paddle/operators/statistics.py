"""Paddle's medians, modes and histograms."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nnir import build
from nnir.broadcast import axes_of, ints
from nnir.errors import NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, compare, index, reduce, shape
from nnir.recipes import statistics as statistics_recipes
from nnir.recipes.statistics import (
    count_nan,
    histogram_counts,
    histogram_ends,
    median_along,
    sort_axis,
)
from nnir.types import Precision

from ...table import Ints, Table
from .numbers import whole

table = Table()
table.named(
    {
        "mode": (statistics_recipes.mode, "x axis keepdim"),
    }
)


def gathered_axes(x: Value, axis: Ints) -> tuple[Value, Ints]:
    """`x` with some axes (all, where none are named) merged into the last one, and these axes."""
    if not x.rank:
        return shape.reshape(x, [1]), ()
    axes = axes_of(axis, x.rank) or tuple(range(x.rank))
    rest = [k for k in range(x.rank) if k not in axes]
    order = (*rest, *axes)
    moved = shape.transpose(x, perm=order) if order != tuple(range(x.rank)) else x
    if len(axes) == 1:
        return moved, axes
    own = build.sizes_of(x)
    merged = build.product([own[k] for k in axes])
    return build.reshape(moved, [*(own[k] for k in rest), merged]), axes


@table.each({"median": False, "nanmedian": True})
def median(
    without_nan: bool,
    x: Value,
    axis: Ints,
    keepdim: bool,
    mode: Literal["avg", "min"],
) -> tuple[Value, ...]:
    line, axes = gathered_axes(x, axis)
    last = line.rank - 1
    if mode == "avg":
        found = [median_of(line, without_nan=without_nan)]
    else:
        found = list(median_along(line, last, without_nan=without_nan))
    results = [shape.squeeze(v, [last]) for v in found]
    if keepdim and axes:
        results = [shape.unsqueeze(v, sorted(axes)) for v in results]
    return tuple(results)


def median_of(line: Value, *, without_nan: bool) -> Value:
    """The mean of the two middle elements along the last axis, NaN where one element is."""
    last = line.rank - 1
    values, _ = sort_axis(line, last)
    size = line.size(last)
    count = size - count_nan(line, last) if line.is_float else size
    upper = count / 2
    lower = (count - 1) / 2
    if not line.is_float:
        low, high = (
            index.gather(values, shape.reshape(at, [1]), axis=last) for at in (lower, upper)
        )
        return (low + high) / 2
    low, high = (
        index.gather_elements(values, binary.max_(at, 0), axis=last) for at in (lower, upper)
    )
    middle = (low + high) / 2
    bad = compare.equal(count, 0) if without_nan else count < size
    return compare.where(bad, line.scalar(np.nan), middle)


@table.convert("histogram")
def histogram(
    input: Value,
    weight: Value | None,
    bins: int,
    min: float,
    max: float,
    density: bool,
) -> Value:
    """Counts as int64; with weights or as a density float32."""
    x = shape.reshape(input, [-1])
    x = x if x.is_float else x.cast(Precision.FLOAT64)
    ends = histogram_ends(x, min, max, 1.0)
    flat = None if weight is None else shape.reshape(weight, [-1])
    found = histogram_counts(x, *ends, bins, flat)
    if not density:
        return found if weight is not None else found.cast(Precision.INT64)
    amounts = found.cast(Precision.FLOAT32)
    low, high = (v.cast(Precision.FLOAT32) for v in ends)
    width = (high - low) / bins
    total = reduce.reduce_sum(amounts, [0], keepdim=True)
    return amounts / (total * width)


@table.convert("bincount")
def bincount(x: Value, weights: Value | None, minlength: Index) -> Value:
    """Weights that are not float32 are added up in float64."""
    return statistics_recipes.bincount(x, weights, whole(minlength))


@table.convert("int_bincount")
def int_bincount(x: Value, low: Index, high: Index, dtype: Precision) -> Value:
    """How often each integer from `low` up to `high`, not included, occurs."""
    first, last = ints(low), ints(high)
    if first is None or last is None:
        raise NotConstant("int_bincount between bounds that are only known while running")
    if first[0] < 0:
        raise Unsupported(f"int_bincount from {first[0]} on, which Paddle counts from 0")
    line = shape.reshape(x, [-1])
    places = line.model.constant((build.arange(last[0] - first[0]) + first[0]).astype(line.dtype))
    hits = compare.equal(shape.unsqueeze(line, [1]), places)
    return reduce.reduce_sum(hits.cast(dtype), [0], keepdim=False)
