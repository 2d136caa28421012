"""TFLite's slices, gathers, scatters and searches."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import activation, binary, index, linear, reduce, shape
from nnir.recipes.diagonal import diagonal_matrix, set_diagonals
from nnir.recipes.index import gather_batched, gather_slices, one_hot_along
from nnir.recipes.scatter import fill_sparse, sum_updates
from nnir.recipes.segment import (
    ADD,
    MAX,
    MIN,
    MUL,
    reduce_segments,
    reduce_sorted_segments,
    segment_count,
)
from nnir.recipes.slices import slice_from, slice_with_masks
from nnir.recipes.sort import best_position, find_buckets, largest_of_rows
from nnir.recipes.uniques import distinct_elements
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("SEGMENT_SUM")
def segment_sum(data: Value, segment_ids: Value) -> Value:
    return reduce_sorted_segments(data, segment_ids, ADD)


table.convert("SLICE")(slice_from)


@table.convert("UNSORTED_SEGMENT_MAX")
def unsorted_segment_max(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return reduce_segments(data, segment_ids, segment_count(num_segments), MAX)


@table.convert("UNSORTED_SEGMENT_MIN")
def unsorted_segment_min(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return reduce_segments(data, segment_ids, segment_count(num_segments), MIN)


@table.convert("UNSORTED_SEGMENT_PROD")
def unsorted_segment_prod(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return reduce_segments(data, segment_ids, segment_count(num_segments), MUL)


@table.convert("UNSORTED_SEGMENT_SUM")
def unsorted_segment_sum(data: Value, segment_ids: Value, num_segments: Index) -> Value:
    return reduce_segments(data, segment_ids, segment_count(num_segments), ADD)


@table.convert("GATHER")
def gather(params: Value, indices: Value, *, axis: int, batch_dims: int) -> Value:
    return gather_batched(params, indices, axis, batch_dims=batch_dims)


table.convert("GATHER_ND")(gather_slices)


@table.convert("SCATTER_ND")
def scatter_nd(indices: Value, updates: Value, shape: Index) -> Value:
    return sum_updates(indices, updates, shape)


table.convert("SPARSE_TO_DENSE")(fill_sparse)


@table.convert("STRIDED_SLICE")
def strided_slice(
    input: Value,
    begin: Index,
    end: Index,
    strides: Index,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
    offset: bool,
) -> Value:
    """With `offset`, the ends are counted from where the slices begin."""
    return slice_with_masks(
        input,
        begin,
        begin + end if offset else end,
        strides,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
    )


@table.convert("DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(operand: Value, update: Value, start_indices: Value) -> Value:
    """A start is moved until the update fits."""
    if not (operand.is_static and update.is_static and operand.rank == update.rank):
        raise BadType(f"DYNAMIC_UPDATE_SLICE of {operand.type} with {update.type}")
    wide = np.array(operand.shape, np.int64)
    sizes = np.array(update.shape, np.int64)
    if (sizes > wide).any():
        raise BadType(f"DYNAMIC_UPDATE_SLICE of {operand.type} with {update.type}")
    if not operand.rank:
        return update
    starts = start_indices.cast(Precision.INT64)
    starts = activation.clip(starts, np.zeros((), np.int64), np.iinfo(np.int64).max)
    starts = binary.min_(starts, operand.model.constant(wide - sizes))
    steps = (wide[::-1].cumprod()[::-1] // wide).astype(np.int64)
    grid = np.indices(tuple(sizes)).reshape(len(sizes), -1).T @ steps
    first = linear.mat_mul(shape.unsqueeze(starts, [0]), operand.model.constant(steps[:, None]))
    places = operand.model.constant(grid[:, None]) + first
    line = index.scatter_nd(shape.reshape(operand, [-1]), places, shape.reshape(update, [-1]))
    return shape.reshape(line, list(operand.shape))


@table.convert("ONE_HOT")
def one_hot(indices: Value, depth: Index, on_value: Value, off_value: Value, *, axis: int) -> Value:
    return one_hot_along(indices, depth, on_value, off_value, axis=axis)


@table.convert("TOPK_V2")
def top_k(input: Value, k: Index) -> tuple[Value, Value]:
    return largest_of_rows(input, k)


@table.convert("ARG_MAX")
def arg_max(input: Value, dimension: int, *, output_type: Precision) -> Value:
    _require_wide("ARG_MAX", output_type)
    return best_position(reduce.arg_max, input, dimension, output_type, -np.inf)


@table.convert("ARG_MIN")
def arg_min(input: Value, dimension: int, *, output_type: Precision) -> Value:
    _require_wide("ARG_MIN", output_type)
    return best_position(reduce.arg_min, input, dimension, output_type, np.inf)


def _require_wide(name: str, kind: Precision) -> None:
    if kind not in (Precision.INT32, Precision.INT64):
        raise BadType(f"{name} with output_type={kind.name}: INT32 or INT64 is needed")


@table.convert("UNIQUE")
def unique(x: Value, *, idx_out_type: Precision) -> tuple[Value, Value]:
    return distinct_elements(x, (), idx_out_type)[:2]


@table.convert("BUCKETIZE")
def bucketize(input: Value, *, boundaries: tuple[float, ...]) -> Value:
    return find_buckets(input, boundaries=boundaries)


@table.convert("CUMSUM")
def cumsum(input: Value, axis: Index, *, exclusive: bool, reverse: bool) -> Value:
    return reduce.cum_sum(input, axis, exclusive=exclusive, reverse=reverse)


table.convert("MATRIX_DIAG")(diagonal_matrix)


@table.convert("MATRIX_SET_DIAG")
def matrix_set_diag(input: Value, diagonal: Value) -> Value:
    return set_diagonals(input, diagonal, (0,), "LEFT_LEFT")
