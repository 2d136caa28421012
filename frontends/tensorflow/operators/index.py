"""TensorFlow's operators that select elements by position or by a mask."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import ints
from nnir.errors import Unsupported
from nnir.model import Index, Value
from nnir.ops import compare, generate, index, reduce, shape, unary
from nnir.recipes.index import gather_batched, gather_slices, nonzero, one_hot_along
from nnir.types import Precision

from ...table import Items, Table
from . import slices

table = Table.merge([slices.table])


@table.convert("Gather")
def gather(params: Value, indices: Value, *, validate_indices: bool = True) -> Value:
    return index.gather(params, indices, axis=0)


table.convert("GatherV2")(gather_batched)


def require_errors(bad_indices_policy: str) -> None:
    """Positions outside of a tensor are errors; TensorFlow can also leave them out."""
    match bad_indices_policy:
        case "" | "DEFAULT" | "ERROR":
            return
    raise Unsupported(f"bad_indices_policy={bad_indices_policy!r}")


@table.convert("GatherNd")
def gather_nd(params: Value, indices: Value, *, bad_indices_policy: str = "") -> Value:
    require_errors(bad_indices_policy)
    return gather_slices(params, indices)


table.convert("OneHot")(one_hot_along)


@table.convert("InvertPermutation")
def invert_permutation(x: Value) -> Value:
    places = build.arange_along(x, 0, x.precision)
    return index.scatter_nd(places, shape.unsqueeze(x, [1]), places)


@table.convert("Where")
def where(input: Value) -> Value:
    return nonzero(input)


@table.convert("DynamicPartition")
def dynamic_partition(data: Value, partitions: Value, *, num_partitions: int) -> list[Value]:
    """The rows of each part, in order."""
    if not partitions.rank:
        data, partitions = (shape.unsqueeze(v, [0]) for v in (data, partitions))
    lines = partitions
    if partitions.rank > 1:
        lines = build.flatten(partitions)
        rest = build.sizes_of(data)[partitions.rank :]
        data = build.reshape(data, [-1, *rest]) if 0 not in data.shape else data
    found = []
    for part in range(num_partitions):
        chosen = index.non_zero(compare.equal(lines, part))
        found.append(index.gather(data, shape.squeeze(chosen, [0]), axis=0))
    return found


@table.convert("DynamicStitch", "ParallelDynamicStitch")
def dynamic_stitch(indices: Items, data: Items) -> Value:
    """Rows at their places; of equal ones the last counts. What no index names is 0."""
    ranks = [v.rank for v in indices]
    rest = build.sizes_of(data[0])[ranks[0] :]
    spots = [v if v.rank == 1 else shape.reshape(v, [-1]) for v in indices]
    rows = [
        v if r == 1 else build.reshape(v, [build.size_of(s, 0), *rest])
        for v, r, s in zip(data, ranks, spots, strict=True)
    ]
    where = shape.concat(*spots, axis=0) if len(spots) > 1 else spots[0]
    updates = shape.concat(*rows, axis=0) if len(rows) > 1 else rows[0]
    count: build.Size
    if all(v.constant is not None for v in indices):
        count = max((int(v.constant.max()) + 1 for v in indices if v.constant.size), default=0)
    else:
        least = where.model.constant(np.full(1, -1, where.dtype))
        highest = reduce.reduce_max(shape.concat(least, where, axis=0), [0], keepdim=True)
        count = build.int64(highest) + 1
    lengths = build.vector(where.model, [count, *rest])
    none = generate.fill(lengths, where.model.constant(0, updates.dtype))
    return index.scatter_nd(none, shape.unsqueeze(where, [1]), updates)


@table.convert("ListDiff")
def list_diff(x: Value, y: Value, *, out_idx: Precision = Precision.INT32) -> tuple[Value, Value]:
    """What of `x` is not in `y`, and where."""
    hits = unary.cast(compare.equal(shape.unsqueeze(x, [1]), y), dtype=Precision.INT32)
    count = reduce.reduce_sum(hits, [1], keepdim=False)
    left = compare.equal(count, count.model.constant(0, np.int32))
    places = shape.squeeze(index.non_zero(left), [0])
    return index.gather(x, places, axis=0), places.cast(out_idx)


@table.convert("UnravelIndex")
def unravel_index(indices: Value, dims: Index) -> Value:
    """Places in a flat tensor as places along each of its axes."""
    known = ints(dims)
    if known is None:
        steps = reduce.cum_prod(dims, [0], exclusive=True, reverse=True)
    else:
        steps = dims.model.constant(np.cumprod([1, *known[:0:-1]])[::-1].astype(dims.dtype))
    if indices.rank:
        steps, dims = (shape.unsqueeze(v, [1]) for v in (steps, dims))
    return indices / steps % dims


ORDERS = "NHWCD"


def _permutation(src_format: str, dst_format: str) -> list[int]:
    fits = sorted(src_format) == sorted(dst_format) and set(src_format) <= set(ORDERS)
    if not fits or len(set(src_format)) < len(src_format):
        raise Unsupported(f"src_format={src_format!r} with dst_format={dst_format!r}")
    return [src_format.index(c) for c in dst_format]


@table.convert("DataFormatDimMap")
def data_format_dim_map(x: Value, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> Value:
    """The place in one layout of each axis of another."""
    order = np.argsort(_permutation(src_format, dst_format)).astype(x.dtype)
    return index.gather(x.model.constant(order), x, axis=0)


@table.convert("DataFormatVecPermute")
def data_format_vec_permute(
    x: Value, *, src_format: str = "NHWC", dst_format: str = "NCHW"
) -> Value:
    """What belongs to the axes of one layout in the order of another."""
    order = _permutation(src_format, dst_format)
    count = len(order)
    if x.shape[0] == count - 2:  # the axes of the image alone
        kept = [a for a in src_format if a not in "NC"]
        order = [kept.index(a) for a in dst_format if a not in "NC"]
    return index.gather(x, x.model.constant(np.array(order)), axis=0)
