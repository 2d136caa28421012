"""Paddle's operators that select elements by position or by a mask."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import compare, generate, index, reduce, shape
from nnir.recipes import index as index_recipes
from nnir.recipes.index import gather_along
from nnir.types import Precision

from ...table import Table
from . import graphs
from . import scatter as placing
from . import set_value as regions
from .numbers import require_positions, whole

table = Table.merge([graphs.table, placing.table, regions.table])
table.named(
    {
        "masked_select": (index_recipes.masked_select, "x mask"),
        "nonzero": (index_recipes.nonzero, "condition"),
    }
)


def line_of(positions: Value) -> Value:
    """Positions that are a column as a vector."""
    if positions.rank == 2:
        return shape.reshape(positions, [-1])
    return positions


@table.convert("gather")
def gather(x: Value, index: Value, axis: int) -> Value:
    """A position without axes drops the axis."""
    require_positions("gather", index)
    return take(x, line_of(index), axis)


def take(x: Value, positions: Value, axis: int) -> Value:
    return index.gather(x, positions, axis=axis_of(axis, x.rank))


def vectors_taken(x: Value, positions: Value) -> Value:
    """Slices at positions; a position of no axes is all of `x`."""
    if positions.shape[-1] == 0:
        lead = build.sizes_of(positions)[:-1]
        return shape.expand(x, build.vector(x.model, [*lead, *build.sizes_of(x)]))
    return index.gather_nd(x, positions)


table.named({"gather_nd": (vectors_taken, "x index")})


@table.convert("index_select_strided")
def index_select_strided(x: Value, index: int, axis: int) -> Value:
    """One element along an axis, which is dropped."""
    return take(x, x.model.constant(np.int64(index)), axis)


@table.convert("index_select")
def index_select(x: Value, index: Value, axis: int) -> Value:
    return take(x, line_of(index), axis)


@table.convert("index_sample")
def index_sample(x: Value, index: Value) -> Value:
    """From each row the elements at its own positions."""
    return gather_along(x, 1, index)


@table.convert("take_along_axis")
def take_along_axis(arr: Value, indices: Value, axis: int) -> Value:
    require_positions("take_along_axis", indices)
    return gather_along(arr, axis, indices)


@table.convert("one_hot")
def one_hot(x: Value, num_classes: Index) -> Value:
    """A new last axis of float32."""
    count = whole(num_classes)
    if count.known is not None:
        classes = x.model.constant(build.arange(int(count.known)).astype(x.dtype))
    else:
        end = count.cast(x.precision)
        classes = generate.range_(x.scalar(0), end, x.scalar(1))
    hits = compare.equal(shape.unsqueeze(x, [x.rank]), classes)
    return hits.cast(Precision.FLOAT32)


@table.convert("embedding_with_scaled_gradient", sparse=False)
@table.convert("embedding", "sparse_weight_embedding")
def embed(x: Value, weight: Value, padding_idx: int, sparse: bool) -> Value:
    """Rows of a table; a padding row, which -1 says is none, reads as zeros.

    `sparse` only serves the gradient.
    """
    rows: Value = index.gather(weight, x, axis=0)
    if padding_idx == -1:
        return rows
    known = weight.constant
    if known is not None and not -len(known) <= padding_idx < len(known):
        raise BadType(f"row {padding_idx} of a table {weight.type} is padding")
    if known is not None and not known[padding_idx].any():
        return rows
    padding = compare.equal(x, padding_idx)
    return compare.where(shape.unsqueeze(padding, [x.rank]), 0, rows)


@table.convert("masked_fill", "masked_fill_")
def masked_fill(x: Value, mask: Value, value: Value) -> Value:
    is_one = all(d == 1 for d in value.shape)
    if not is_one and shapes_differ(value.shape, x.shape):
        raise BadType(f"masked_fill of {x.type} with {value.type}: one number, or as many")
    number = shape.reshape(value, []) if is_one and value.rank else value
    return compare.where(mask, number.cast(x.precision), x)


@table.convert("shard_index")
def shard_index(
    input: Value, index_num: int, nshards: int, shard_id: int, ignore_value: int
) -> Value:
    """Positions within a shard, and another number for those of other shards."""
    if not 0 <= shard_id < nshards:
        raise BadType(f"shard_index with shard_id={shard_id} of {nshards}")
    size = -(-index_num // nshards)
    first = input.scalar(shard_id * size)
    above = input >= first
    below = input < (shard_id + 1) * size
    local = input - first
    return compare.where(above & below, local, ignore_value)


@table.convert("sequence_mask")
def sequence_mask(x: Value, max_len: int, out_dtype: Precision) -> Value:
    """1 in front of the end of each sequence; with a length below 0 that of the longest one."""
    if max_len > 0:
        steps = x.model.constant(build.arange(max_len).astype(x.dtype))
    else:
        longest = reduce.reduce_max(x, [], keepdim=False)
        steps = generate.range_(x.scalar(0), longest, x.scalar(1))
    return (steps < shape.unsqueeze(x, [x.rank])).cast(out_dtype)


@table.convert("gather_tree")
def gather_tree(ids: Value, parents: Value) -> Value:
    """The whole beams of a search: from the last step back, each follows its parent."""
    steps = ids.shape[0]
    if not isinstance(steps, int) or not 0 < steps <= 1 << 12:
        raise Unsupported(f"gather_tree of {ids.type}: the number of steps must be known")
    rows = [step_of(v, k) for v in (ids, parents) for k in range(steps)]
    names, links = rows[:steps], rows[steps:]
    found = [names[-1]]
    beams = links[-1]
    for k in reversed(range(steps - 1)):
        found.append(gather_along(names[k], 1, beams))
        beams = gather_along(links[k], 1, beams)
    return shape.stack(*reversed(found), axis=0)


def step_of(x: Value, step: int) -> Value:
    """One element along the first axis."""
    return index.gather(x, x.model.constant(np.int64(step)), axis=0)
