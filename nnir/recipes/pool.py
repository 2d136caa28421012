"""Pooling of images by windows, into a given number of bins, and its reverse."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import build
from ..dim import Dim, Expr
from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import generate, pool, reduce, shape
from ..ops import index as ops
from ..ops.windows import extents
from ..records import dataclass
from ..types import AutoPad, Precision
from .conv import Slide, each_axis
from .layout import with_channels_first
from .windows import Window, spatial_sizes

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
    area = build.times(whole[3], whole[4])
    position = depth * (area if isinstance(area, Value) else np.int64(area)) + inside
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


@dataclass(frozen=True)
class PoolWindow:
    """How a pool moves: (before, after) pads axis by axis; `ceil` keeps a last partial window."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    ceil: bool = False
    auto_pad: AutoPad = AutoPad.NONE

    @property
    def rank(self) -> int:
        return len(self.kernel)

    @property
    def extents(self) -> tuple[int, ...]:
        return extents(self.kernel, self.dilations)

    def slide(self, groups: int) -> Slide:
        """How a filter moves that has the kernel's size."""
        return Slide(self.strides, self.pads, self.dilations, groups, auto_pad=self.auto_pad)

    def with_axis(self) -> PoolWindow:
        """The same with an axis in front along which nothing moves."""
        given = (1, *self.kernel), (1, *self.strides), (0, 0, *self.pads), (1, *self.dilations)
        return PoolWindow(*given, self.ceil, self.auto_pad)

    def general(self) -> dict[str, Any]:
        """Arguments of the pools over any number of axes."""
        if self.auto_pad != AutoPad.NONE:
            raise Unsupported(f"a pool with auto_pad and open sizes over {self.rank} axes")
        given = {"kernel_shape": self.kernel, "strides": self.strides, "pads": self.pads}
        return given | {"dilations": self.dilations, "ceil_mode": self.ceil}

    def plain(self, x: Value, *, clips: bool = False) -> dict[str, Any] | None:
        """Arguments of a pool without dilation that gives the same, else None.

        `clips`: the divisor leaves out what overhangs, so there must be nothing.
        """
        if any(d > 1 for d in self.dilations):
            return None
        given: dict[str, Any] = {"kernel_shape": self.kernel, "strides": self.strides}
        if self.auto_pad == AutoPad.SAME:
            return given | {"auto_pad": AutoPad.SAME} if self.rank < 3 else None
        pads = self.pads
        if self.ceil:
            pairs = zip(pads[::2], pads[1::2], strict=True)
            axes = list(zip(x.shape[2:], self.kernel, self.strides, pairs, strict=True))
            grown = [_padding_of_last_window(*axis) for axis in axes]
            if any(g is None for g in grown):
                inside = all(after + step <= size for _, size, step, (_, after) in axes)
                return given | {"pads": pads, "ceil_mode": True} if inside and not clips else None
            pads = tuple(p for g in grown if g is not None for p in g)
            if clips and pads != self.pads:
                return None
        return given | {"pads": pads if any(pads) else None}


def _padding_of_last_window(
    size: Dim, kernel: int, stride: int, pads: tuple[int, int]
) -> tuple[int, int] | None:
    """Padding that makes the last window whole instead of overhanging; None where unknown."""
    if isinstance(size, Expr):
        return None
    before, after = pads
    room = size + before + after - kernel
    count = min(-(-room // stride) + 1, -(-(size + before) // stride))
    if count == room // stride + 1:
        return before, after
    if count < room // stride + 1:
        return None
    return before, (count - 1) * stride + kernel - size - before


def pool_maxima(x: Value, how: PoolWindow, *, positions: bool) -> tuple[Value, ...]:
    """The largest elements of windows, and with `positions` where they are in their plane."""
    found = with_batch(x, how.rank)
    how = how.with_axis() if how.rank == 1 else how
    plain = how.plain(found.value) if how.rank == 2 else None
    if plain is not None:
        given: dict[str, Any] = {"return_indices": positions}
        given |= {"return_indices_dtype": int(Precision.INT64)} if positions else {}
        results = pool.max_pool_2d(found.value, **plain, **given)
    else:
        results = pool.max_pool(found.value, **how.general(), return_indices=positions)
    return tuple(found.restored(v) for v in (results if positions else (results,)))


def pool_means(x: Value, how: PoolWindow, *, include: bool, whole: bool = False) -> Value:
    """The means of windows, `include` of their padding; with `whole` over all of the kernel."""
    found = with_batch(x, how.rank)
    how = how.with_axis() if how.rank == 1 else how
    plain = how.plain(found.value, clips=include and not whole)
    if plain is not None and how.rank == 2:
        made = pool.average_pool_2d(found.value, **plain, count_include_pad=include or whole)
    elif plain is not None:
        made = pool.average_pool(found.value, **plain, count_include_pad=include or whole)
    elif whole:
        raise Unsupported(f"an average pool with ceil_mode and a divisor of {x.type}")
    else:
        made = pool.average_pool(found.value, **how.general(), count_include_pad=include)
    return found.restored(made)


def count_by_columns(x: Value, places: Value) -> Value:
    """Positions in planes of `x`, row by row, as those column by column."""
    sizes = build.sizes_of(x)[2:]
    count = build.product(sizes)
    if isinstance(count, int):
        every = x.model.constant(build.arange(count))
    else:
        every = generate.range_([0], count, [1])
    turned = shape.transpose(build.reshape(every, sizes[::-1]))
    return ops.gather(build.flatten(turned), places, axis=0)


def count_in_tensor(x: Value, places: Value) -> Value:
    """Positions in planes of `x` as positions in all of it."""
    _, channels, *sizes = build.sizes_of(x)
    step, plane = (build.vector(x.model, [n]) for n in (channels, build.product(sizes)))
    rows = shape.unsqueeze(build.arange_along(x, 0), [1]) * step + build.arange_along(x, 1)
    return places + shape.unsqueeze(rows * plane, list(range(2, x.rank)))
