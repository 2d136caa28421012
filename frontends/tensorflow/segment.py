"""TensorFlow's reductions of groups of rows."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir import build
from nnir.broadcast import ints
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, shape, unary
from nnir.types import Precision

from ..table import Table
from . import histograms

table = Table.merge([histograms.table])
ADD, MUL, MIN, MAX = "add", "mul", "min", "max"


def neutral(reduction: str, dtype: np.dtype) -> float:
    """What a group of no rows gives; of a minimum the highest number, which is finite."""
    match reduction:
        case "add" | "mul":
            return int(reduction == MUL)
    limits = (np.iinfo if dtype.kind in "iu" else ml_dtypes.finfo)(dtype)
    limit = limits.max if reduction == MIN else limits.min
    return limit if isinstance(limit, int) else float(limit)


def grouped(data: Value, ids: Value, count: build.Size, reduction: str) -> Value:
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
    start = data.model.constant(neutral(reduction, data.dtype), data.dtype)
    base = generate.fill(build.vector(data.model, [rows, *rest]), start)
    made = index.scatter_nd(base, shape.unsqueeze(ids, [1]), data, reduction=reduction)
    if not spare:
        return made
    return index.slice_(made, [0], [0], build.vector(data.model, [count]))


def number_of(num_segments: Value) -> build.Size:
    """How many groups there are."""
    known = ints(num_segments)
    return known[0] if known is not None else shape.reshape(build.int64(num_segments), [1])


@table.convert("UnsortedSegmentSum")
def unsorted_segment_sum(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return grouped(data, segment_ids, number_of(num_segments), ADD)


@table.convert("UnsortedSegmentProd")
def unsorted_segment_prod(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return grouped(data, segment_ids, number_of(num_segments), MUL)


@table.convert("UnsortedSegmentMin")
def unsorted_segment_min(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return grouped(data, segment_ids, number_of(num_segments), MIN)


@table.convert("UnsortedSegmentMax")
def unsorted_segment_max(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return grouped(data, segment_ids, number_of(num_segments), MAX)


def last_of(ids: Value) -> build.Size:
    """How many groups sorted ids have."""
    if ids.rank != 1:
        raise BadType(f"sorted segments {ids.type}, not a vector")
    if ids.constant is not None:
        return int(ids.constant[-1]) + 1 if ids.constant.size else 0
    least = ids.model.constant(np.full(1, -1, ids.dtype))
    last = index.slice_(shape.concat(least, ids, axis=0), [0], [-1], [np.iinfo(np.int64).max])
    result: Value = build.int64(last) + 1
    return result


def counts_of(ids: Value, count: build.Size, like: Value) -> Value:
    """How many rows each group has, as int32 and with the axes of `like`."""
    one = like.model.constant(1, np.int32)
    ones = generate.fill(build.vector(ids.model, [build.size_of(ids, 0)]), one)
    found = grouped(ones, ids, count, ADD)
    return shape.unsqueeze(found, [1] * (like.rank - 1)) if like.rank > 1 else found


def _or_zero(total: Value, ids: Value, count: build.Size) -> Value:
    """0 for groups of no rows."""
    known = ids.constant
    if known is not None and isinstance(count, int) and len(np.unique(known)) == count:
        return total
    rows = counts_of(ids, count, total)
    there = unary.cast(rows, dtype=Precision.BOOL8)
    return compare.where(there, total, 0)


def _sorted(data: Value, ids: Value, reduction: str) -> Value:
    if ids.rank != 1:
        raise BadType(f"sorted segments {ids.type}, not a vector")
    count = last_of(ids)
    total = grouped(data, ids, count, reduction)
    return _or_zero(total, ids, count) if reduction in (MIN, MAX) else total


@table.convert("SegmentSum")
def segment_sum(data: Value, segment_ids: Value) -> Value:
    return _sorted(data, segment_ids, ADD)


@table.convert("SegmentProd")
def segment_prod(data: Value, segment_ids: Value) -> Value:
    return _sorted(data, segment_ids, MUL)


@table.convert("SegmentMin")
def segment_min(data: Value, segment_ids: Value) -> Value:
    return _sorted(data, segment_ids, MIN)


@table.convert("SegmentMax")
def segment_max(data: Value, segment_ids: Value) -> Value:
    return _sorted(data, segment_ids, MAX)


@table.convert("SegmentMean")
def segment_mean(data: Value, segment_ids: Value) -> Value:
    return averaged(data, segment_ids, last_of(segment_ids), "mean")


def averaged(data: Value, ids: Value, count: build.Size, how: str) -> Value:
    """The sum of each group, divided by its number of rows or the root of that."""
    total = grouped(data, ids, count, ADD)
    if how == "sum":
        return total
    rows = counts_of(ids, count, total)
    rows = binary.max_(rows, 1)
    rows = rows.cast(total.precision)
    return total / (unary.sqrt(rows) if how == "sqrtn" else rows)


def _sparse(data: Value, indices: Value, ids: Value, count: build.Size | None, how: str) -> Value:
    """Groups of chosen rows."""
    chosen = index.gather(data, indices, axis=0)
    return averaged(chosen, ids, last_of(ids) if count is None else count, how)


@table.convert("SparseSegmentSum")
def sparse_segment_sum(
    data: Value, indices: Value, segment_ids: Value, *, sparse_gradient: bool = False
) -> Value:
    return _sparse(data, indices, segment_ids, None, "sum")


@table.convert("SparseSegmentMean")
def sparse_segment_mean(
    data: Value, indices: Value, segment_ids: Value, *, sparse_gradient: bool = False
) -> Value:
    return _sparse(data, indices, segment_ids, None, "mean")


@table.convert("SparseSegmentSqrtN")
def sparse_segment_sqrt_n(
    data: Value, indices: Value, segment_ids: Value, *, sparse_gradient: bool = False
) -> Value:
    return _sparse(data, indices, segment_ids, None, "sqrtn")


@table.convert("SparseSegmentSumWithNumSegments")
def sparse_segment_sum_of(
    data: Value,
    indices: Value,
    segment_ids: Value,
    num_segments: Index,
    *,
    sparse_gradient: bool = False,
) -> Value:
    return _sparse(data, indices, segment_ids, number_of(num_segments), "sum")


@table.convert("SparseSegmentMeanWithNumSegments")
def sparse_segment_mean_of(
    data: Value,
    indices: Value,
    segment_ids: Value,
    num_segments: Index,
    *,
    sparse_gradient: bool = False,
) -> Value:
    return _sparse(data, indices, segment_ids, number_of(num_segments), "mean")


@table.convert("SparseSegmentSqrtNWithNumSegments")
def sparse_segment_sqrt_n_of(
    data: Value,
    indices: Value,
    segment_ids: Value,
    num_segments: Index,
    *,
    sparse_gradient: bool = False,
) -> Value:
    return _sparse(data, indices, segment_ids, number_of(num_segments), "sqrtn")
