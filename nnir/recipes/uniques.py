"""Distinct elements in order of first occurrence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import build
from ..broadcast import axis_of
from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import compare, index, reduce, shape, sort, unary
from ..types import Precision


def distinct_elements(
    x: Value, axis: tuple[int, ...], kind: Precision
) -> tuple[Value, Value, Value]:
    """The distinct elements (or slices), which of them each is, and how often each occurs."""
    if len(axis) > 1:
        raise BadType(f"distinct slices along {list(axis)}")
    if not axis and x.rank != 1:
        raise BadType(f"distinct elements of {x.type}, not a vector")
    if x.is_float and x.rank == 1:
        values, inverse, counts = _distinct_floats(x)
    elif x.precision == Precision.BOOL8:
        values, inverse, counts = distinct_elements(
            unary.cast(x, dtype=Precision.UINT8), axis, kind
        )
    else:
        along = axis_of(axis[0], x.rank) if axis and x.rank > 1 else None
        values, _, inverse, counts = sort.unique(x, axis=along, sorted=False)
    return values.cast(x.precision), inverse.cast(kind), counts.cast(kind)


class _Runs(NamedTuple):
    """The runs of equal elements of a sorted vector."""

    first: Value  # where the first element of each run stands in the vector
    counts: Value  # how long each run is
    places: Value  # where each sorted element stands in the vector
    run: Value  # which run each sorted element belongs to

    def put_back(self, runs: Value) -> Value:
        """Numbers of the sorted elements, in the order of the vector."""
        return index.scatter_nd(runs, shape.unsqueeze(self.places, [1]), runs)


def _find_runs(x: Value, keys: Value) -> _Runs:
    """The runs of a vector by `keys`, of a type that engines sort."""
    size = build.vector(x.model, [build.size_of(x, 0)])
    ordered, places = sort.top_k(keys, size, axis=0, largest=False)
    last = np.iinfo(np.int64).max
    changed = compare.not_equal(
        index.slice_(ordered, [0], [1], [last]), index.slice_(ordered, [0], [0], [-1])
    )
    true = index.slice_(x.model.constant(np.ones(1, np.bool_)), [0], [0], size)
    begins = shape.concat(true, changed, axis=0)
    starts = shape.squeeze(index.non_zero(begins), [0])
    run = reduce.cum_sum(unary.cast(begins, dtype=Precision.INT64), [0]) - 1
    counts = shape.concat(index.slice_(starts, [0], [1], [last]), size, axis=0) - starts
    return _Runs(index.gather(places, starts, axis=0), counts, places, run)


def _distinct_floats(x: Value) -> tuple[Value, Value, Value]:
    """By the runs of the sorted elements, as every NaN is another, unlike for UNIQUE."""
    runs = _find_runs(x, x.cast(Precision.FLOAT32) if x.dtype.itemsize < 4 else x)
    order, rank = _rank_runs(runs.first)
    first, counts = (index.gather(v, order, axis=0) for v in (runs.first, runs.counts))
    inverse = runs.put_back(index.gather(rank, runs.run, axis=0))
    return index.gather(x, first, axis=0), inverse, counts


def _rank_runs(first: Value) -> tuple[Value, Value]:
    """The runs in order of their first elements, and the place of each in that order."""
    size = build.vector(first.model, [build.size_of(first, 0)])
    _, order = sort.top_k(first, size, axis=0, largest=False)
    steps = build.arange_along(first, 0)
    return order, index.scatter_nd(steps, shape.unsqueeze(order, [1]), steps)


def unique_by_order(
    input: Value, *, axis: int | None, sorted: bool
) -> tuple[Value, Value, Value, Value]:
    """UNIQUE of all elements by an order of them, of integers, among which there is no NaN."""
    if not input.is_integer or (axis is not None and input.rank != 1):
        raise Unsupported(f"distinct slices of {input.type} along axis {axis} by an order of them")
    x = build.flatten(input)
    runs = _find_runs(x, x)
    first, counts, run = runs.first, runs.counts, runs.run
    if not sorted:
        order, rank = _rank_runs(first)
        first, counts = (index.gather(v, order, axis=0) for v in (first, counts))
        run = index.gather(rank, run, axis=0)
    return index.gather(x, first, axis=0), first, runs.put_back(run), counts
