"""ONNX operators that select or place elements by position."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.errors import BadType, Unsupported
from nnir.formats.onnx import precision_of_code
from nnir.model import Index, Value
from nnir.ops import compare, generate, index, unary
from nnir.ops import shape as ops
from nnir.types import Precision

from ...table import Table
from .shape import int64

table = Table()
table.same({"NonZero": index.non_zero})


@table.convert("Gather")
def gather(data: Value, indices: Value, *, axis: int = 0) -> Value:
    return index.gather(data, indices, axis=axis)


@table.convert("GatherElements")
def gather_elements(data: Value, indices: Value, *, axis: int = 0) -> Value:
    return index.gather_elements(data, indices, axis=axis)


@table.convert("GatherND")
def gather_nd(data: Value, indices: Value, *, batch_dims: int = 0) -> Value:
    return index.gather_nd(data, indices, batch_dims=batch_dims)


@table.convert("Scatter")
def scatter(data: Value, indices: Value, updates: Value, *, axis: int = 0) -> Value:
    """The name that ScatterElements had before opset 11."""
    return scatter_elements(data, indices, updates, axis=axis)


@table.convert("ScatterElements")
def scatter_elements(
    data: Value, indices: Value, updates: Value, *, axis: int = 0, reduction: str = "none"
) -> Value:
    return index.scatter_elements(
        data, indices, updates, axis=axis, reduction=_reduction(reduction)
    )


@table.convert("ScatterND")
def scatter_nd(data: Value, indices: Value, updates: Value, *, reduction: str = "none") -> Value:
    return index.scatter_nd(data, indices, updates, reduction=_reduction(reduction))


def _reduction(reduction: str) -> str:
    match reduction:
        case "none" | "add" | "mul" | "max" | "min":
            return reduction
    raise Unsupported(f"Scatter with reduction={reduction!r}")


@table.convert("Slice")
def slice_1(
    data: Value,
    *,
    starts: tuple[int, ...],
    ends: tuple[int, ...],
    axes: tuple[int, ...] | None = None,
) -> Value:
    where = None if axes is None else list(axes)
    return index.slice_(data, where, list(starts), list(ends))


@table.convert("Slice", since=10)
def slice_(
    data: Value,
    starts: Index,
    ends: Index,
    axes: Index | None = None,
    steps: Index | None = None,
) -> Value:
    return index.slice_(data, axes, starts, ends, steps)


@table.convert("Compress")
def compress(input: Value, condition: Value, *, axis: int | None = None) -> Value:
    """The positions of the true conditions, then the elements there."""
    if axis is None:
        input, axis = ops.flatten(input, start_axis=0, end_axis=-1), 0
    chosen = ops.squeeze(index.non_zero(condition), [0])
    return index.gather(input, chosen, axis=axis)


@table.convert("OneHot")
def one_hot(indices: Value, depth: Value, values: Value, *, axis: int = -1) -> Value:
    """Compare every index with 0, 1, ... along the new axis; others than those match nothing."""
    place = axis_of(axis, indices.rank, extra=1)
    count = ops.reshape(int64(depth), [])
    where = int64(indices)
    zero, one = (indices.model.constant(n, np.int64) for n in (0, 1))
    where = compare.where(where < zero, where + count, where)
    steps = generate.range_(zero, count, one)
    line = ops.unsqueeze(steps, list(range(1, indices.rank - place + 1)))
    hits = compare.equal(ops.unsqueeze(where, [place]), line)
    off, on = (index.gather(values, zero if n == 0 else one, axis=0) for n in (0, 1))
    return compare.where(hits, on, off)


@table.convert("ReverseSequence")
def reverse_sequence(
    input: Value, sequence_lens: Value, *, batch_axis: int = 1, time_axis: int = 0
) -> Value:
    return index.reverse_sequence(input, sequence_lens, batch_axis=batch_axis, time_axis=time_axis)


@table.convert("Trilu")
def trilu(input: Value, k: Value | None = None, *, upper: int = 1) -> Value:
    """Keep the elements where column - row is at least (upper) or at most (lower) `k`."""
    model = input.model
    diagonal = model.constant(0, np.int64) if k is None else ops.reshape(int64(k), [])
    rows, columns = build.arange_along(input, -2), build.arange_along(input, -1)
    edge = ops.unsqueeze(rows, [1]) + diagonal
    kept = (compare.greater_equal if upper else compare.less_equal)(columns, edge)
    return compare.where(kept, input, 0)


@table.convert("TensorScatter")
def tensor_scatter(
    past_cache: Value,
    update: Value,
    write_indices: Value | None = None,
    *,
    mode: str = "linear",
    axis: int = -2,
) -> Value:
    """Write a block along `axis`, from another position in each batch."""
    place = axis_of(axis, past_cache.rank)
    where = build.arange_along(update, place)
    if write_indices is not None:
        where = ops.unsqueeze(int64(write_indices), [1]) + where
    else:
        where = ops.unsqueeze(where, [0])
    match mode:
        case "linear":
            pass
        case "circular":
            size = build.vector(past_cache.model, [build.size_of(past_cache, place)])
            turns = where // size
            where = where - turns * size
        case _:
            raise Unsupported(f"TensorScatter with mode={mode!r}")
    others = [a for a in range(1, past_cache.rank) if a != place]
    full = build.vector(update.model, build.sizes_of(update))
    where = ops.expand(ops.unsqueeze(where, others), full)
    return index.scatter_elements(past_cache, where, update, axis=place)


@table.convert("EyeLike")
def eye_like(input: Value, *, k: int = 0, dtype: int | None = None) -> Value:
    if input.rank != 2:
        raise BadType(f"EyeLike of {input.type}, not a matrix")
    to = input.precision if dtype is None else precision_of_code(dtype)
    rows, columns = build.arange_along(input, 0), build.arange_along(input, 1)
    ones = compare.equal(columns, ops.unsqueeze(rows, [1]) + k)
    return ones if to == Precision.BOOL8 else unary.cast(ones, dtype=to)
