"""TensorFlow's distinct elements, in order of first occurrence."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import compare, index, reduce, shape, sort, unary
from nnir.types import Precision

from ..table import Table

table = Table()


def distinct(x: Value, axis: tuple[int, ...], kind: Precision) -> tuple[Value, Value, Value]:
    """The distinct elements (or slices), which of them each is, and how often each occurs."""
    if len(axis) > 1:
        raise BadType(f"distinct slices along {list(axis)}")
    if not axis and x.rank != 1:
        raise BadType(f"distinct elements of {x.type}, not a vector")
    if x.is_float and x.rank == 1:
        values, inverse, counts = _of_floats(x)
    elif x.precision == Precision.BOOL8:
        values, inverse, counts = distinct(unary.cast(x, dtype=Precision.UINT8), axis, kind)
    else:
        along = axis_of(axis[0], x.rank) if axis and x.rank > 1 else None
        values, _, inverse, counts = sort.unique(x, axis=along, sorted=False)
    return values.cast(x.precision), inverse.cast(kind), counts.cast(kind)


def _of_floats(x: Value) -> tuple[Value, Value, Value]:
    """By the runs of the sorted elements, as every NaN is another, unlike for UNIQUE."""
    model = x.model
    size = build.vector(model, [build.size_of(x, 0)])
    wide = x.cast(Precision.FLOAT32) if x.dtype.itemsize < 4 else x
    ordered, places = sort.top_k(wide, size, axis=0, largest=False)
    last = np.iinfo(np.int64).max
    changed = compare.not_equal(
        index.slice_(ordered, [0], [1], [last]), index.slice_(ordered, [0], [0], [-1])
    )
    true = index.slice_(model.constant(np.ones(1, np.bool_)), [0], [0], size)
    begins = shape.concat(true, changed, axis=0)
    starts = shape.squeeze(index.non_zero(begins), [0])
    run = reduce.cum_sum(unary.cast(begins, dtype=Precision.INT64), [0]) - 1
    first = index.gather(places, starts, axis=0)
    order, rank = _ranks(first)
    ends = shape.concat(index.slice_(starts, [0], [1], [last]), size, axis=0)
    counts = index.gather(ends - starts, order, axis=0)
    values = index.gather(x, index.gather(first, order, axis=0), axis=0)
    mine = index.gather(rank, run, axis=0)
    inverse = index.scatter_nd(mine, shape.unsqueeze(places, [1]), mine)
    return values, inverse, counts


def _ranks(first: Value) -> tuple[Value, Value]:
    """The runs in order of their first elements, and the place of each in that order."""
    size = build.vector(first.model, [build.size_of(first, 0)])
    _, order = sort.top_k(first, size, axis=0, largest=False)
    steps = build.arange_along(first, 0)
    return order, index.scatter_nd(steps, shape.unsqueeze(order, [1]), steps)


@table.convert("Unique")
def unique(x: Value, *, out_idx: Precision = Precision.INT32) -> tuple[Value, Value]:
    return distinct(x, (), out_idx)[:2]


@table.convert("UniqueV2")
def unique_v2(
    x: Value, axis: tuple[int, ...], *, out_idx: Precision = Precision.INT32
) -> tuple[Value, Value]:
    return distinct(x, axis, out_idx)[:2]


@table.convert("UniqueWithCounts")
def unique_with_counts(
    x: Value, *, out_idx: Precision = Precision.INT32
) -> tuple[Value, Value, Value]:
    return distinct(x, (), out_idx)


@table.convert("UniqueWithCountsV2")
def unique_with_counts_v2(
    x: Value, axis: tuple[int, ...], *, out_idx: Precision = Precision.INT32
) -> tuple[Value, Value, Value]:
    return distinct(x, axis, out_idx)
