"""Reductions of groups of rows."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import ints
from ..errors import BadType
from ..model import Value
from ..ops import compare, generate, index, shape, unary
from ..types import Precision
from .index import neutral_of

ADD, MUL, MIN, MAX = "add", "mul", "min", "max"


def reduce_segments(data: Value, ids: Value, count: build.Size, reduction: str) -> Value:
    """Combine the rows of each group; those of negative groups are left out."""
    rest = build.sizes_of(data)[ids.rank :]
    if ids.rank != 1:
        data = build.reshape(data, [build.product(build.sizes_of(ids)), *rest])
        ids = shape.reshape(ids, [-1]) if 0 not in ids.shape else shape.reshape_exact(ids, [0])
    known = ids.constant
    spare = known is None or bool((known < 0).any())
    if spare:  # a row more takes them
        ids = build.int64(ids)
        end = build.vector(ids.model, [count])
        ids = compare.where(ids < 0, end, ids)
    rows = build.plus(count, 1) if spare else count
    # what a group of no rows gives: of a minimum the highest number that is finite
    start = data.model.constant(neutral_of(reduction, data.dtype, finite=True), data.dtype)
    base = generate.fill(build.vector(data.model, [rows, *rest]), start)
    made = index.scatter_nd(base, shape.unsqueeze(ids, [1]), data, reduction=reduction)
    if not spare:
        return made
    return index.slice_(made, [0], [0], build.vector(data.model, [count]))


def segment_count(num_segments: Value) -> build.Size:
    """How many groups there are."""
    known = ints(num_segments)
    return known[0] if known is not None else shape.reshape(build.int64(num_segments), [1])


def sorted_segment_count(ids: Value) -> build.Size:
    """How many groups sorted ids have."""
    if ids.rank != 1:
        raise BadType(f"sorted segments {ids.type}, not a vector")
    if ids.constant is not None:
        return int(ids.constant[-1]) + 1 if ids.constant.size else 0
    least = ids.model.constant(np.full(1, -1, ids.dtype))
    last = index.slice_(shape.concat(least, ids, axis=0), [0], [-1], [np.iinfo(np.int64).max])
    return build.int64(last) + 1


def count_rows(ids: Value, count: build.Size, like: Value) -> Value:
    """How many rows each group has, as int32 and with the axes of `like`."""
    one = like.model.constant(1, np.int32)
    ones = generate.fill(build.vector(ids.model, [build.size_of(ids, 0)]), one)
    found = reduce_segments(ones, ids, count, ADD)
    return shape.unsqueeze(found, [1] * (like.rank - 1)) if like.rank > 1 else found


def zero_if_empty(total: Value, ids: Value, count: build.Size) -> Value:
    """0 for groups of no rows."""
    known = ids.constant
    if known is not None and isinstance(count, int) and len(np.unique(known)) == count:
        return total
    rows = count_rows(ids, count, total)
    there = unary.cast(rows, dtype=Precision.BOOL8)
    return compare.where(there, total, 0)


def reduce_sorted_segments(data: Value, ids: Value, reduction: str) -> Value:
    """Combine the rows of each group, whose numbers rise; one of no rows gives 0, a product 1."""
    count = sorted_segment_count(ids)
    total = reduce_segments(data, ids, count, reduction)
    return zero_if_empty(total, ids, count) if reduction in (MIN, MAX) else total
