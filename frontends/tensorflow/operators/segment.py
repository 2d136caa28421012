"""TensorFlow's reductions of groups of rows."""

from __future__ import annotations

from nnir import build
from nnir.model import Index, Value
from nnir.ops import binary, index, unary
from nnir.recipes.segment import (
    ADD,
    MAX,
    MIN,
    MUL,
    count_rows,
    reduce_segments,
    reduce_sorted_segments,
    segment_count,
    sorted_segment_count,
)

from ...table import Table
from . import histograms

table = Table.merge([histograms.table])


@table.convert("UnsortedSegmentSum")
def unsorted_segment_sum(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return reduce_segments(data, segment_ids, segment_count(num_segments), ADD)


@table.convert("UnsortedSegmentProd")
def unsorted_segment_prod(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return reduce_segments(data, segment_ids, segment_count(num_segments), MUL)


@table.convert("UnsortedSegmentMin")
def unsorted_segment_min(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return reduce_segments(data, segment_ids, segment_count(num_segments), MIN)


@table.convert("UnsortedSegmentMax")
def unsorted_segment_max(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return reduce_segments(data, segment_ids, segment_count(num_segments), MAX)


@table.convert("SegmentSum")
def segment_sum(data: Value, segment_ids: Value) -> Value:
    return reduce_sorted_segments(data, segment_ids, ADD)


@table.convert("SegmentProd")
def segment_prod(data: Value, segment_ids: Value) -> Value:
    return reduce_sorted_segments(data, segment_ids, MUL)


@table.convert("SegmentMin")
def segment_min(data: Value, segment_ids: Value) -> Value:
    return reduce_sorted_segments(data, segment_ids, MIN)


@table.convert("SegmentMax")
def segment_max(data: Value, segment_ids: Value) -> Value:
    return reduce_sorted_segments(data, segment_ids, MAX)


@table.convert("SegmentMean")
def segment_mean(data: Value, segment_ids: Value) -> Value:
    return average(data, segment_ids, sorted_segment_count(segment_ids), "mean")


def average(data: Value, ids: Value, count: build.Size, how: str) -> Value:
    """The sum of each group, divided by its number of rows or the root of that."""
    total = reduce_segments(data, ids, count, ADD)
    if how == "sum":
        return total
    rows = count_rows(ids, count, total)
    rows = binary.max_(rows, 1)
    rows = rows.cast(total.precision)
    return total / (unary.sqrt(rows) if how == "sqrtn" else rows)


def _sparse(data: Value, indices: Value, ids: Value, count: build.Size | None, how: str) -> Value:
    """Groups of chosen rows."""
    chosen = index.gather(data, indices, axis=0)
    return average(chosen, ids, sorted_segment_count(ids) if count is None else count, how)


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
    return _sparse(data, indices, segment_ids, segment_count(num_segments), "sum")


@table.convert("SparseSegmentMeanWithNumSegments")
def sparse_segment_mean_of(
    data: Value,
    indices: Value,
    segment_ids: Value,
    num_segments: Index,
    *,
    sparse_gradient: bool = False,
) -> Value:
    return _sparse(data, indices, segment_ids, segment_count(num_segments), "mean")


@table.convert("SparseSegmentSqrtNWithNumSegments")
def sparse_segment_sqrt_n_of(
    data: Value,
    indices: Value,
    segment_ids: Value,
    num_segments: Index,
    *,
    sparse_gradient: bool = False,
) -> Value:
    return _sparse(data, indices, segment_ids, segment_count(num_segments), "sqrtn")
