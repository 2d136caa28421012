"""ATen pooling into a given number of bins."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import index as ops
from nnir.ops import pool, reduce
from nnir.types import Precision

from ..table import Table
from .conv import listed
from .windows import batched

table = Table()


MOST = 2**22
"""So many bins at most: more than any network has, and few enough to walk over."""


def bins(output_size: Sequence[int], rank: int) -> tuple[int, ...]:
    """The number of bins along each axis."""
    output = listed("output_size", output_size, rank)
    if math.prod(output) > MOST:
        raise Unsupported(f"an adaptive pool into {output} bins")
    return output


def _average(rank: int) -> Callable[..., Value]:
    def convert(self: Value, output_size: tuple[int, ...]) -> Value:
        return averaged(self, bins(output_size, rank))

    return convert


def averaged(self: Value, output: Sequence[int]) -> Value:
    """Over everything a REDUCE_MEAN (in two axes the standard's pool, which is as much)."""
    rank = len(output)
    if tuple(output) == self.shape[-rank:]:
        return self
    if all(n == 1 for n in output) and not (rank == 2 and self.rank == 4):
        return reduce.reduce_mean(self, list(range(-rank, 0)), keepdim=True)
    found = batched(self, rank)
    if rank < 3:
        target = (1, *output) if rank == 1 else tuple(output)
        result = pool.adaptive_average_pool_2d(found.value, output_shape=target)
        return found.restored(result)
    return found.restored(_in_planes(found.value, output, pool.adaptive_average_pool_2d))


def _in_planes(x: Value, output: Sequence[int], operator: Callable[..., Value]) -> Value:
    """Three axes: first the last two of them, then the first; bins are products of intervals."""
    whole, depth, plane = build.sizes_of(x), output[0], (output[1], output[2])
    batch, channels = whole[0], build.times(whole[1], whole[2])
    flat = build.reshape(x, [batch, channels, *whole[3:]])
    rows = operator(flat, output_shape=plane)
    stacked = build.reshape(rows, [batch, whole[1], whole[2], plane[0] * plane[1]])
    result = operator(stacked, output_shape=(depth, plane[0] * plane[1]))
    return build.reshape(result, [batch, whole[1], *output])


for _rank in (1, 2, 3):
    table.convert(f"aten.adaptive_avg_pool{_rank}d.default")(_average(_rank))
    if _rank > 1:
        table.convert(f"aten._adaptive_avg_pool{_rank}d.default")(_average(_rank))


def _max(rank: int) -> Callable[..., tuple[Value, Value]]:
    def convert(self: Value, output_size: tuple[int, ...]) -> tuple[Value, Value]:
        return maxima(self, bins(output_size, rank))

    return convert


def maxima(self: Value, output: Sequence[int]) -> tuple[Value, Value]:
    """The maximum of every bin and its position in the plane."""
    rank = len(output)
    found = batched(self, rank)
    given: dict[str, Any] = {"return_indices": True, "return_indices_dtype": int(Precision.INT64)}
    if rank < 3:
        target = (1, *output) if rank == 1 else tuple(output)
        results = pool.adaptive_max_pool_2d(found.value, output_shape=target, **given)
        return found.restored(results[0]), found.restored(results[1])
    best, where = _maxima_in_planes(found.value, output, given)
    return found.restored(best), found.restored(where)


def _maxima_in_planes(
    x: Value, output: Sequence[int], given: dict[str, Any]
) -> tuple[Value, Value]:
    """The position of the best plane chooses among the positions in the planes."""
    if any(isinstance(d, Expr) for d in x.shape[2:]):
        raise Unsupported(f"adaptive_max_pool3d of {x.type}, whose sizes are not known")
    whole, plane = build.sizes_of(x), (output[1], output[2])
    flat = build.reshape(x, [whole[0], build.times(whole[1], whole[2]), *whole[3:]])
    rows, places = pool.adaptive_max_pool_2d(flat, output_shape=plane, **given)
    lay = [whole[0], whole[1], whole[2], plane[0] * plane[1]]
    rows, places = build.reshape(rows, lay), build.reshape(places, lay)
    target = (output[0], plane[0] * plane[1])
    best, where = pool.adaptive_max_pool_2d(rows, output_shape=target, **given)
    columns = x.model.constant(np.int64(plane[0] * plane[1]))
    depth = where // columns  # where = depth * columns + column
    inside = ops.gather_elements(places, depth, axis=2)
    area = x.model.constant(np.int64(int(x.shape[3]) * int(x.shape[4])))  # type: ignore[arg-type]
    position = depth * area + inside
    end = [whole[0], whole[1], *output]
    return build.reshape(best, end), build.reshape(position, end)


for _rank in (1, 2, 3):
    table.convert(f"aten.adaptive_max_pool{_rank}d.default")(_max(_rank))
