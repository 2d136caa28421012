"""Pools of planes for devices that have no kernel: window by window of a tap, or bin by bin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce as fold
from typing import Any

import numpy as np

from .. import build
from ..decomposition import Level
from ..errors import Unsupported
from ..model import Value
from ..ops import binary, compare, index, logic, pool, reduce, shape, windows
from ..ops.reduce import lowest
from ..types import AutoPad, Fuse, Precision
from .conv import ACTIVATIONS, every, pad_axes

Pairs = list[tuple[int, int]]
MOST_BINS = 32
"""So many bins of an open axis are looked at one by one."""


@pool.max_pool_2d.decomposes()
def _max_pool_2d(
    input: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    return_indices: bool,
    return_indices_dtype: int,
    fuse_code: Fuse,
) -> Value | tuple[Value, Value]:
    sizes = build.known_sizes(input, (2, 3))
    own = windows.resolve_padding(auto_pad, pads, sizes, kernel_shape, strides)
    is_ceil = ceil_mode and auto_pad != AutoPad.SAME
    pairs: Pairs = []
    for size, extent, stride, pair in zip(sizes, kernel_shape, strides, own, strict=True):
        count = int(windows.slid(size, extent, stride, pair, ceil=is_ceil))  # type: ignore[arg-type]
        pairs.append((pair[0], (count - 1) * stride + extent - size - pair[0]))
    activate: Callable[[Value], Value] = ACTIVATIONS.get(fuse_code, lambda x: x)
    once = (1,) * len(strides)
    if not return_indices:
        join = logic.or_ if input.precision == Precision.BOOL8 else binary.max_
        return activate(slide(input, kernel_shape, strides, pairs, once, join))
    best, places = slide_to_first(input, kernel_shape, strides, pairs, once)
    return activate(best), places.cast(Precision(return_indices_dtype))


def slide(
    x: Value,
    kernel: Sequence[int],
    steps: Sequence[int],
    pairs: Pairs,
    dilations: Sequence[int],
    join: Callable[[Value, Value], Value],
    outside: Any = None,
) -> Value:
    """What the taps of each window read, joined axis after axis; `outside` is the lowest where
    nothing else is said."""
    border = lowest(x.dtype) if outside is None else outside
    result = pad_axes(x, {k + 2: pair for k, pair in enumerate(pairs)}, border)
    covered = windows.extents(kernel, dilations)
    for k, size in enumerate(kernel):
        taps = [
            every(result, k + 2, tap * dilations[k], covered[k], steps[k]) for tap in range(size)
        ]
        result = fold(join, taps)
    return result


def slide_to_first(
    x: Value,
    kernel: Sequence[int],
    steps: Sequence[int],
    pairs: Pairs,
    dilations: Sequence[int],
) -> tuple[Value, Value]:
    """The maximum of each window and its first place among the elements of all spatial axes, as
    INT32; from the last axis to the first, so that of equal ones the first stays."""
    rank = len(kernel)
    sizes = build.known_sizes(x, range(2, x.rank))
    borders = {k + 2: pair for k, pair in enumerate(pairs)}
    best = pad_axes(x, borders, lowest(x.dtype))
    plane = np.arange(np.prod(sizes), dtype=np.int32).reshape(1, 1, *sizes)
    places = pad_axes(x.model.constant(plane), borders, 0)
    covered = windows.extents(kernel, dilations)
    for k in reversed(range(rank)):
        bounds = sizes[k], covered[k], steps[k], pairs[k]
        count = int(windows.slid(*bounds))  # type: ignore[arg-type]
        first = np.arange(count) * steps[k] - pairs[k][0]
        taps = [
            tuple(every(v, k + 2, tap * dilations[k], covered[k], steps[k]) for v in (best, places))
            for tap in range(kernel[k])
        ]
        best, places = taps[0]
        inside = (first >= 0) & (first < sizes[k])
        seen = inside
        for tap, (values, where) in enumerate(taps[1:], 1):
            at = first + tap * dilations[k]
            inside = (at >= 0) & (at < sizes[k])
            better = _wins(values, best)
            if not seen.all():
                better = better | _along(x, ~seen, rank - 1 - k)
            if not inside.all():
                better = better & _along(x, inside, rank - 1 - k)
            best, places = (
                compare.where(better, *pair) for pair in ((values, best), (where, places))
            )
            seen = seen | inside
        if not seen.all():  # windows that lie outside
            places = compare.where(_along(x, seen, rank - 1 - k), places, places.scalar(-1))
    whole = build.vector(x.model, build.sizes_of(best))
    return best, places if places.shape == best.shape else shape.expand(places, whole)


def _wins(values: Value, best: Value) -> Value:
    """Whether elements are larger than the best so far; NaN is, unless that is one."""
    if not values.is_float:
        return values > best
    return compare.equal(best, best) & ~(values <= best)


def _along(like: Value, mask: np.ndarray, behind: int) -> Value:
    """A mask along one axis of `like`, with so many axes behind it."""
    return like.model.constant(mask.reshape(-1, *(1,) * behind))


@pool.adaptive_average_pool_2d.decomposes(level=Level.ROUNDING)
def _adaptive_average(input: Value, *, output_shape: tuple[int, ...]) -> Value:
    if tuple(output_shape) == (1, 1):
        return reduce.reduce_mean(input, [2, 3])
    kernel = _even_bins(input, output_shape)
    return pool.average_pool_2d(input, kernel_shape=kernel, strides=kernel)


@pool.adaptive_average_pool_2d.decomposes(level=Level.ROUNDING)
def _means_of_bins(input: Value, *, output_shape: tuple[int, ...]) -> Value:
    return _each_bin(input, output_shape, reduce.reduce_mean)


@pool.adaptive_max_pool_2d.decomposes()
def _adaptive_max(
    input: Value,
    *,
    output_shape: tuple[int, ...],
    return_indices: bool,
    return_indices_dtype: int,
) -> Value | tuple[Value, Value]:
    if tuple(output_shape) == (1, 1) and not return_indices:
        return reduce.reduce_max(input, [2, 3])
    kernel = _even_bins(input, output_shape)
    found: Value | tuple[Value, Value] = pool.max_pool_2d(
        input,
        kernel_shape=kernel,
        strides=kernel,
        return_indices=return_indices,
        return_indices_dtype=return_indices_dtype,
    )
    return found


@pool.adaptive_max_pool_2d.decomposes()
def _maxima_of_bins(
    input: Value,
    *,
    output_shape: tuple[int, ...],
    return_indices: bool,
    return_indices_dtype: int,
) -> Value:
    if return_indices:
        raise Unsupported("positions of maxima in bins of different sizes")
    return _each_bin(input, output_shape, reduce.reduce_max)


def _even_bins(input: Value, output_shape: Sequence[int]) -> tuple[int, ...]:
    """The sizes of all bins, where they are alike and lie side by side."""
    sizes = list(zip(build.known_sizes(input, (2, 3)), output_shape, strict=True))
    if any(not n or n % k for n, k in sizes):
        raise Unsupported(f"{input.type} in {list(output_shape)} bins of one size")
    return tuple(n // k for n, k in sizes)


def _each_bin(input: Value, output_shape: Sequence[int], reduced: Callable[..., Value]) -> Value:
    """Every bin of rows, then of columns: both are over whole bins."""
    result = input
    for axis, count in enumerate(output_shape, 2):
        parts = [
            reduced(index.slice_(result, [axis], start, stop), [axis], keepdim=True)
            for start, stop in _bins(input, axis, count)
        ]
        result = shape.concat(*parts, axis=axis) if count > 1 else parts[0]
    return result


def _bins(input: Value, axis: int, count: int) -> list[tuple[Value, Value]]:
    """Where the bins of an axis begin and end."""
    size, model = build.size_of(input, axis), input.model
    if isinstance(size, int):
        ends = [(b.start, b.stop) for b in pool.bins_along(size, count)]
        return [(build.vector(model, [start]), build.vector(model, [stop])) for start, stop in ends]
    if count > MOST_BINS:
        build.known_sizes(input, (axis,))  # which are not
    begun = [build.over(build.times(size, k), count) for k in range(count)]
    ended = [
        build.over(build.plus(build.times(size, k + 1), count - 1), count) for k in range(count)
    ]
    return [
        (build.vector(model, [a]), build.vector(model, [b]))
        for a, b in zip(begun, ended, strict=True)
    ]
