"""Pooling of images in any layout, into a given number of bins, and its reverse."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import build
from ..dim import Expr
from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import generate, pool, reduce, shape
from ..ops import index as ops
from ..types import Precision
from .conv import each_axis
from .layout import with_channels_first
from .windows import Window, spatial_sizes


def pool_windows(x: Value, how: Window, data_format: str, *, maximum: bool) -> Value:
    """The largest element or the mean of what of each window lies in the image."""
    rank = len(how.kernel)
    if x.rank != rank + 2:
        raise BadType(f"a pool over {rank} axes of {x.type}")
    pads = how.pads(spatial_sizes(x.shape, data_format)) if rank == 2 else None

    def compute(image: Value) -> Value:
        result: Value
        if rank == 2:
            operator = pool.max_pool_2d if maximum else pool.average_pool_2d
            result = operator(
                image,
                auto_pad=how.auto_pad,
                pads=pads,
                kernel_shape=how.kernel,
                strides=how.strides,
            )
            return result
        general = pool.max_pool if maximum else pool.average_pool
        around = how.all_pads(image.shape[2:])
        result = general(image, kernel_shape=how.kernel, strides=how.strides, pads=around)
        return result

    return with_channels_first(x, data_format, compute)


MOST_BINS = 2**22
"""So many bins at most: more than any network has, and few enough to walk over."""


def bins_of(output_size: Sequence[int], rank: int) -> tuple[int, ...]:
    """The number of bins along each axis."""
    output = each_axis("output_size", output_size, rank)
    if math.prod(output) > MOST_BINS:
        raise Unsupported(f"an adaptive pool into {output} bins")
    return output


def adaptive_average_pool(x: Value, output: Sequence[int]) -> Value:
    """Over everything a REDUCE_MEAN (in two axes the standard's pool, which is as much)."""
    rank = len(output)
    if tuple(output) == x.shape[-rank:]:
        return x
    if all(n == 1 for n in output) and not (rank == 2 and x.rank == 4):
        return reduce.reduce_mean(x, list(range(-rank, 0)), keepdim=True)
    found = with_batch(x, rank)
    if rank < 3:
        target = (1, *output) if rank == 1 else tuple(output)
        result = pool.adaptive_average_pool_2d(found.value, output_shape=target)
        return found.restored(result)
    return found.restored(_pool_in_planes(found.value, output, pool.adaptive_average_pool_2d))


def _pool_in_planes(x: Value, output: Sequence[int], operator: Callable[..., Value]) -> Value:
    """Three axes: first the last two of them, then the first; bins are products of intervals."""
    whole, depth, plane = build.sizes_of(x), output[0], (output[1], output[2])
    batch, channels = whole[0], build.times(whole[1], whole[2])
    flat = build.reshape(x, [batch, channels, *whole[3:]])
    rows = operator(flat, output_shape=plane)
    stacked = build.reshape(rows, [batch, whole[1], whole[2], plane[0] * plane[1]])
    result = operator(stacked, output_shape=(depth, plane[0] * plane[1]))
    return build.reshape(result, [batch, whole[1], *output])


def adaptive_max_pool(x: Value, output: Sequence[int]) -> tuple[Value, Value]:
    """The maximum of every bin and its position in the plane."""
    rank = len(output)
    found = with_batch(x, rank)
    given: dict[str, Any] = {"return_indices": True, "return_indices_dtype": int(Precision.INT64)}
    if rank < 3:
        target = (1, *output) if rank == 1 else tuple(output)
        results = pool.adaptive_max_pool_2d(found.value, output_shape=target, **given)
        return found.restored(results[0]), found.restored(results[1])
    best, where = _max_pool_in_planes(found.value, output, given)
    return found.restored(best), found.restored(where)


def _max_pool_in_planes(
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


def unpool(input: Value, indices: Value, output_size: Value, rank: int) -> Value:
    """Every element at its position in its plane, zeros elsewhere."""
    if input.rank not in (rank + 1, rank + 2):
        raise BadType(f"max_unpool over {rank} axes of {input.type}")
    lead = build.sizes_of(input)[: input.rank - rank]
    plane = reduce.reduce_prod(output_size, [0], keepdim=True)
    whole = shape.concat(build.vector(input.model, lead), plane, axis=0)
    zero = input.model.constant(np.zeros((), input.dtype))
    spatial = build.product(build.sizes_of(input)[input.rank - rank :])
    rows = [build.reshape(x, [*lead, spatial]) for x in (input, indices)]
    filled = ops.scatter_elements(generate.fill(whole, zero), rows[1], rows[0], axis=len(lead))
    target = shape.concat(build.vector(input.model, lead), output_size, axis=0)
    return shape.reshape_exact(filled, target)


@dataclass(frozen=True)
class Batched:
    """A tensor with all the axes that a 2-D or 3-D pool wants, and the axes to drop after it."""

    value: Value
    added: tuple[int, ...]

    def restored(self, result: Value) -> Value:
        """A result without the axes that were added."""
        return shape.squeeze(result, list(self.added)) if self.added else result


def with_batch(x: Value, rank: int) -> Batched:
    """`x` over `rank` spatial axes as [N, C, ...]; one axis becomes the second of two."""
    if x.rank not in (rank + 1, rank + 2):
        raise Unsupported(f"a pool over {rank} axes of {x.type}")
    added = ((0,) if x.rank == rank + 1 else ()) + ((2,) if rank == 1 else ())
    return Batched(shape.unsqueeze(x, list(added)) if added else x, added)
