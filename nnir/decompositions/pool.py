"""Pools over lines, volumes and dilated windows, by those over a plane."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .. import build
from ..decomposition import Level
from ..dim import Dim, Expr
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops import binary, conv, generate, index, pool, shape, windows
from ..types import AutoPad, Fuse, Precision
from .conv import ACTIVATIONS, pad_axes, plain_sizes
from .real import real
from .windows import slide, slide_to_first

Pairs = list[tuple[int, int]]


def _pads(
    input: Value,
    kernel: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int] | None,
    dilations: Sequence[int],
    *,
    ceil: bool,
) -> Pairs:
    """Padding by which the windows fit without a remainder, so that no rule has to round up."""
    pairs = list(windows.pair_pads(pads, len(kernel)))
    if not ceil:
        return pairs
    covered = windows.extents(kernel, dilations)
    for k, (size, extent, stride) in enumerate(zip(input.shape[2:], covered, strides, strict=True)):
        if isinstance(size, Expr):
            raise NotConstant(f"{input.type} in windows that may overhang")
        pairs[k] = _fit(size, extent, stride, pairs[k], inside=True)
    return pairs


@pool.average_pool_2d.decomposes(level=Level.ROUNDING)
@real(double=True)
def _average_behind_border(
    input: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    count_include_pad: bool,
    fuse_code: Fuse,
) -> Value:
    """Zeros around the image beforehand; where they do not count, each mean grows by the share of
    its window that does."""
    sizes, is_same = input.shape[2:], auto_pad == AutoPad.SAME
    known = plain_sizes(sizes) if is_same else [0, 0]
    pairs = list(windows.resolve_padding(auto_pad, pads, known, kernel_shape, strides))
    if ceil_mode and not is_same:
        pairs = [_fit(*axis) for axis in zip(sizes, kernel_shape, strides, pairs, strict=True)]
    if not any(map(any, pairs)):
        raise Unsupported(f"a pool of {input.type} without a border")
    x = pad_axes(input, {k + 2: pair for k, pair in enumerate(pairs)}, 0)
    result = pool.average_pool_2d(x, kernel_shape=kernel_shape, strides=strides)
    if not count_include_pad:
        none = ((0, 0),) * 2
        counts = _counts(input, kernel_shape, strides, pairs, (1, 1), none)
        result = result * input.model.constant(math.prod(kernel_shape) / counts)
    return ACTIVATIONS[fuse_code](result) if fuse_code in ACTIVATIONS else result


def _fit(
    size: Dim, extent: int, stride: int, pair: tuple[int, int], *, inside: bool = False
) -> tuple[int, int]:
    found = windows.fit_padding(size, extent, stride, pair, inside=inside)
    if found is None:
        raise NotConstant(f"a size {size} in windows that may overhang")
    return found


@pool.max_pool.decomposes()
def _max_pool(
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    return_indices: bool,
) -> Value | tuple[Value, Value]:
    rank = len(kernel_shape)
    steps, dilated = strides or (1,) * rank, dilations or (1,) * rank
    pairs = _pads(input, kernel_shape, steps, pads, dilated, ceil=ceil_mode)
    if not return_indices:
        if max(dilated) > 1:
            return slide(input, kernel_shape, steps, pairs, dilated, binary.max_)
        return over_planes(input, kernel_shape, steps, pairs, _best)
    if rank > 3 or max(dilated) > 1:
        best, places = slide_to_first(input, kernel_shape, steps, pairs, dilated)
        return best, places.cast(Precision.INT64)
    if rank == 3:
        return _places_in_volumes(input, kernel_shape, steps, pairs)
    if rank == 2:
        return _best_and_places(input, kernel_shape, steps, pairs)
    flat = shape.unsqueeze(input, [2])
    lifted = (1, *kernel_shape), (1, *steps), [(0, 0), *pairs]
    values, positions = _best_and_places(flat, *lifted)
    return shape.squeeze(values, [2]), shape.squeeze(positions, [2])


def _places_in_volumes(
    x: Value, kernel: Sequence[int], steps: Sequence[int], pairs: Pairs
) -> tuple[Value, Value]:
    """The maxima of each plane, then those of their columns: the first of equal ones stays it."""
    if any(max(pair) >= size for pair, size in zip(pairs, kernel, strict=True)):
        raise Unsupported("positions of maxima in windows that lie outside")
    n, c = build.sizes_of(x)[:2]
    depth, *plane = build.known_sizes(x, range(2, 5))
    planes = build.reshape(x, [n, build.times(c, depth), *plane])
    best, inside = _best_and_places(planes, kernel[1:], steps[1:], pairs[1:])
    rows, columns = build.known_sizes(best, (2, 3))
    deep = build.reshape(best, [n, c, depth, rows * columns])
    result, places = _best_and_places(deep, (kernel[0], 1), (steps[0], 1), [pairs[0], (0, 0)])
    (layers,) = build.known_sizes(result, [2])
    flat = build.reshape(places, [n, c, layers * rows * columns])
    within = build.reshape(inside, [n, c, depth * rows * columns])
    layer = flat // flat.scalar(rows * columns)
    positions = layer * math.prod(plane) + index.gather_elements(within, flat, axis=2)
    sizes = [n, c, layers, rows, columns]
    return build.reshape(result, sizes), build.reshape(positions, sizes)


def _best_and_places(
    x: Value, kernel: Sequence[int], steps: Sequence[int], pairs: Pairs
) -> tuple[Value, Value]:
    best, places = pool.max_pool_2d(
        x,
        pads=tuple(n for pair in pairs for n in pair),
        kernel_shape=tuple(kernel),
        strides=tuple(steps),
        return_indices=True,
        return_indices_dtype=Precision.INT64,
    )
    return best, places


@pool.average_pool.decomposes(level=Level.ROUNDING)
def _average_pool(
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Value:
    rank = len(kernel_shape)
    steps, dilated = strides or (1,) * rank, dilations or (1,) * rank
    pairs = _pads(input, kernel_shape, steps, pads, dilated, ceil=ceil_mode)
    own = windows.pair_pads(pads, rank)
    if max(dilated) > 1:
        inside = own if count_include_pad else ((0, 0),) * rank
        total = slide(input, kernel_shape, steps, pairs, dilated, binary.add, 0)
        return total / input.model.constant(
            _counts(input, kernel_shape, steps, pairs, dilated, inside)
        )

    def mean(x: Value, kernel: tuple[int, ...], steps: tuple[int, ...], pairs: Pairs) -> Value:
        return pool.average_pool_2d(
            x,
            pads=tuple(n for pair in pairs for n in pair),
            kernel_shape=kernel,
            strides=steps,
            count_include_pad=count_include_pad,
        )

    result = over_planes(input, kernel_shape, steps, pairs, mean)
    overhang = [max(b[1] - a[1], 0) for a, b in zip(own, pairs, strict=True)]
    if not count_include_pad or not any(overhang):
        return result
    return result * input.model.constant(_shares(input, kernel_shape, steps, pairs, overhang))


@pool.average_pool.decomposes(level=Level.ROUNDING)
@real(double=True)
def average_behind_border(
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Value:
    """Zeros that count around the input beforehand; what overhangs of a window does not.

    A window that begins behind the input is none, which the border hides where sizes are open.
    """
    rank = len(kernel_shape)
    steps, dilated = strides or (1,) * rank, dilations or (1,) * rank
    own, extents = windows.pair_pads(pads, rank), windows.extents(kernel_shape, dilated)
    if not (count_include_pad and any(map(any, own))):
        raise Unsupported(f"a pool of {input.type} without a border that counts")
    is_open = ceil_mode and any(isinstance(d, Expr) for d in input.shape[2:])
    ends = zip(own, steps, extents, strict=True)
    if is_open and any(behind + step > extent for (_, behind), step, extent in ends):
        raise Unsupported(f"a pool of {input.type} with windows that may begin in its border")
    pairs = list(own)
    if ceil_mode:
        axes = zip(input.shape[2:], extents, steps, own, strict=True)
        pairs = [_fit(*axis, inside=True) for axis in axes]
    over = [n for a, b in zip(own, pairs, strict=True) for n in (0, b[1] - a[1])]
    return pool.average_pool(
        pad_axes(input, {k + 2: pair for k, pair in enumerate(own)}, 0),
        kernel_shape=kernel_shape,
        strides=steps,
        pads=None if is_open else tuple(over),
        dilations=dilated,
        ceil_mode=is_open,
    )


@pool.average_pool.decomposes(level=Level.ROUNDING)
@real(double=True)
def average_by_convolution(
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Value:
    """Sums of the taps that lie apart, channel by channel, over how many of them there are."""
    rank = len(kernel_shape)
    counts = count_include_pad and any(pads or ())
    if rank > 3 or ceil_mode or counts or max(dilations or (1,)) == 1:
        raise Unsupported(f"a pool of {input.type} by a convolution")
    n, c, *sizes = build.sizes_of(input)
    ones, line = (1,) * (rank == 1), (0, 0) * (rank == 1)
    taps = input.model.constant(np.ones((1, 1, *ones, *kernel_shape), input.dtype))
    planes = build.reshape(input, [build.times(n, c), 1, *ones, *sizes])
    total, count = (
        (conv.conv_3d if rank == 3 else conv.conv_2d)(
            x,
            taps,
            input.model.constant(np.zeros(1, input.dtype)),
            pads=(*line, *(pads or (0, 0) * rank)),
            strides=(*ones, *(strides or (1,) * rank)),
            dilations=(*ones, *(dilations or ())),
        )
        for x in (planes, generate.fill_like(planes, input.scalar(1)))
    )
    means = total / binary.max_(count, count.scalar(1))
    return build.reshape(means, [n, c, *build.sizes_of(means)[2 + len(ones) :]])


@pool.lp_pool.decomposes(level=Level.ROUNDING)
def _lp_pool(
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    p: float,
) -> Value:
    """The root of the mean of the powers, times their number."""
    rank = len(kernel_shape)
    steps, dilated = strides or (1,) * rank, dilations or (1,) * rank
    pairs = _pads(input, kernel_shape, steps, pads, dilated, ceil=ceil_mode)
    padded = pad_axes(input, {k + 2: pair for k, pair in enumerate(pairs)}, 0)
    powers = abs(padded) ** p
    means = pool.average_pool(
        powers, kernel_shape=kernel_shape, strides=tuple(steps), dilations=tuple(dilated)
    )
    return (means * int(np.prod(kernel_shape))) ** (1 / p)


@pool.max_unpool.decomposes()
def _max_unpool(
    input: Value,
    indices: Value,
    output_shape: Value | None = None,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
) -> Value:
    """Maxima placed in zeros."""
    rank, own = len(kernel_shape), build.sizes_of(input)
    cut = (sum(pair) for pair in windows.pair_pads(pads, rank))
    inner = [
        build.plus(build.times(build.minus(size, 1), step), extent - less)
        for size, step, extent, less in zip(
            own[2:], strides or (1,) * rank, kernel_shape, cut, strict=True
        )
    ]
    sizes = [*own[:2], *inner]
    total = build.vector(input.model, [build.product(sizes)])
    nothing = generate.fill(total, input.scalar(0))
    flat = index.scatter_elements(nothing, build.flatten(indices), build.flatten(input), axis=0)
    result = build.reshape(flat, sizes)
    if output_shape is None:
        return result
    pairs = zip(build.elements(output_shape), sizes, strict=True)
    amounts = [n for wanted, size in pairs for n in (0, build.minus(wanted, size))]
    return shape.pad(result, build.vector(input.model, amounts, negative=True), input.scalar(0))


Window = Callable[[Value, tuple[int, ...], tuple[int, ...], Pairs], Value]


def _best(x: Value, kernel: tuple[int, ...], steps: tuple[int, ...], pairs: Pairs) -> Value:
    return pool.max_pool_2d(
        x, pads=tuple(n for pair in pairs for n in pair), kernel_shape=kernel, strides=steps
    )


def over_planes(
    x: Value,
    kernel: Sequence[int],
    steps: Sequence[int],
    pairs: Pairs,
    window: Window,
) -> Value:
    """A pool over any axes by one over a plane, as it can be done axis after axis."""
    rank = len(kernel)
    if rank == 1:
        flat = window(shape.unsqueeze(x, [2]), (1, kernel[0]), (1, steps[0]), [(0, 0), pairs[0]])
        return shape.squeeze(flat, [2])
    if rank == 2:
        return window(x, tuple(kernel), tuple(steps), pairs)
    if rank > 3:
        raise Unsupported(f"a pool over {rank} axes")
    n, c, depth, *plane = build.sizes_of(x)
    planes = build.reshape(x, [n, build.times(c, depth), *plane])
    small = window(planes, tuple(kernel[1:]), tuple(steps[1:]), pairs[1:])
    rows, columns = build.sizes_of(small)[2:]
    deep = build.reshape(small, [n, c, depth, build.times(rows, columns)])
    result = window(deep, (kernel[0], 1), (steps[0], 1), [pairs[0], (0, 0)])
    return build.reshape(result, [n, c, build.size_of(result, 2), rows, columns])


def _counts(
    input: Value,
    kernel: Sequence[int],
    steps: Sequence[int],
    pairs: Pairs,
    dilations: Sequence[int],
    inside: Sequence[tuple[int, int]],
) -> np.ndarray:
    """How many elements of each window count: those of the input, and `inside` around it."""
    sizes = build.known_sizes(input, range(2, input.rank))
    starts = [-before for before, _ in inside]
    ends = [n + after for n, (_, after) in zip(sizes, inside, strict=True)]
    axes = zip(sizes, windows.extents(kernel, dilations), steps, pairs, strict=True)
    out = [int(windows.slid(*axis)) for axis in axes]  # type: ignore[arg-type]
    count = windows.counts(starts, ends, kernel, tuple(pairs), steps, dilations, out)
    return np.maximum(count, 1).astype(input.dtype)


def _shares(
    input: Value,
    kernel: Sequence[int],
    steps: Sequence[int],
    pairs: Pairs,
    overhang: Sequence[int],
) -> np.ndarray:
    """By how much each mean grows when what overhangs does not count."""
    result = np.ones((), np.float64)
    for k, (size, stride) in enumerate(zip(kernel, steps, strict=True)):
        n = int(input.shape[k + 2])  # type: ignore[arg-type]  # windows that overhang need it
        end = n + sum(pairs[k]) - overhang[k]
        starts = np.arange((n + sum(pairs[k]) - size) // stride + 1) * stride
        counts = np.minimum(starts + size, end) - starts
        axis = (size / np.maximum(counts, 1)).reshape(-1, *(1,) * (len(kernel) - 1 - k))
        result = result * axis
    return result.astype(input.dtype)
