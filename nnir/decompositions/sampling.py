"""Images sampled at positions: neighbours taken from the pixels in one row, and weighed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import reduce as fold
from operator import and_, mul

import numpy as np

from .. import build
from ..decomposition import Level
from ..model import Value
from ..ops import activation, compare, conv, index, reduce, resize, shape, unary, windows
from ..ops.resize import BORDERS, KINDS
from ..ops.sampling import CUBIC
from ..types import Fuse, InterpolateMode, PadMode, Precision

NOWHERE = -2.0
"""What stands for a position that is no number: outside of every axis."""
LARGEST = float(np.finfo(np.float32).max)


@resize.grid_sample.decomposes(level=Level.ROUNDING)
@resize.grid_sample_3d.decomposes(level=Level.ROUNDING)
def _grid_sample(
    input: Value,
    grid: Value,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> Value:
    kind, rank = KINDS[mode], input.rank - 2
    sizes = build.known_sizes(input, range(2, input.rank))
    wide = Precision.FLOAT64 if grid.precision == Precision.FLOAT64 else Precision.FLOAT32
    points = grid.cast(wide)
    sampler = _Sampler(sizes, kind, BORDERS[pad_mode], is_aligned=align_corners)
    axes = []
    for axis, size in enumerate(sizes):
        place = rank - 1 - axis
        x = shape.squeeze(index.slice_(points, [-1], [place], [place + 1]), [-1])
        axes.append(sampler.neighbours(sampler.position(x, size)))
    is_double = Precision.FLOAT64 in (input.precision, wide) and input.is_float
    data = input
    if kind != "nearest" and not is_double:
        data = input.cast(Precision.FLOAT32)
    n, channels = build.sizes_of(input)[:2]
    last = shape.transpose(data, perm=(0, *range(2, input.rank), 1))
    pixels = build.reshape(last, [build.times(n, math.prod(sizes)), channels])
    total = _weigh(sampler, pixels, axes)
    if kind != "nearest" and input.is_float:
        total = compare.where(sampler.is_nowhere(points), np.nan, total)
    return shape.transpose(total, perm=(0, input.rank - 1, *range(1, rank + 1))).cast(
        input.precision
    )


@conv.deformable_conv_2d.decomposes()
def _deformable_conv_2d(
    input: Value,
    offset: Value,
    mask: Value,
    filter: Value,
    bias: Value,
    *,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    deformable_group: int,
    dilations: tuple[int, ...],
    fuse_code: Fuse,
) -> Value:
    """What each tap reads beside each other as channels, which one tap of a convolution weighs."""
    sizes, kernel = build.known_sizes(input, (2, 3)), build.known_sizes(filter, (2, 3))
    out, each = build.known_sizes(filter, (0, 1))
    taps, part = math.prod(kernel), each * group // deformable_group
    n, *extent = (build.size_of(offset, k) for k in (0, 2, 3))
    planes = build.times(n, deformable_group)
    wide = input.precision if input.precision == Precision.FLOAT64 else Precision.FLOAT32
    shifts = build.reshape(offset, [planes, taps, 2, *extent]).cast(wide)
    pairs = windows.pair_pads(pads, 2)
    sampler = _Sampler(sizes, "linear", "zeros", is_aligned=True)
    axes = []
    for axis, tap in enumerate(np.unravel_index(np.arange(taps), kernel)):
        shift = shape.squeeze(index.slice_(shifts, [2], [axis], [axis + 1]), [2])
        first = tap * dilations[axis] - pairs[axis][0]
        step = build.arange_along(shift, 2 + axis, wide, aligned=True) * strides[axis]
        at = shift + (step + input.model.constant(first.reshape(-1, 1, 1), wide.dtype))
        axes.append(sampler.neighbours(compare.where(abs(at) <= LARGEST, at, NOWHERE)))
    images = build.reshape(input.cast(wide), [planes, part, *sizes])
    pixels = build.reshape(
        shape.transpose(images, perm=(0, 2, 3, 1)), [build.times(planes, math.prod(sizes)), part]
    )
    total = _weigh(sampler, pixels, axes)
    total = total * build.reshape(mask.cast(wide), [planes, taps, *extent, 1])
    columns = shape.transpose(total, perm=(0, 4, 1, 2, 3)).cast(input.precision)
    return conv.conv_2d(
        build.reshape(columns, [n, each * group * taps, *extent]),
        build.reshape(filter, [out, each * taps, 1, 1]),
        bias,
        strides=(1, 1),
        dilations=(1, 1),
        group=group,
        fuse_code=fuse_code,
    )


Neighbours = list[tuple[Value, Value | None]]
"""Positions along an axis and the weights of what lies there."""


def _weigh(sampler: _Sampler, pixels: Value, axes: Sequence[Neighbours]) -> Value:
    """[N, *out, C]: the sum of the neighbours of every position by their weights."""
    parts = []
    for taps in itertools.product(*axes):
        values = sampler.pixels(pixels, [at for at, _ in taps])
        weights = [w for _, w in taps if w is not None]
        if weights:
            values = values * shape.unsqueeze(fold(mul, weights), [-1]).cast(values.precision)
        parts.append(values)
    return fold(lambda a, b: a + b, parts)


class _Sampler:
    """Positions, neighbours and weights along axes of `sizes`."""

    def __init__(self, sizes: list[int], kind: str, border: str, *, is_aligned: bool) -> None:
        self.sizes, self.kind, self.border, self.is_aligned = sizes, kind, border, is_aligned

    def position(self, x: Value, size: int) -> Value:
        """[-1, 1] to an axis of `size`, as the border moves it."""
        at = (x + 1) / 2 * (size - 1) if self.is_aligned else ((x + 1) * size - 1) / 2
        clamps = self.border == "border" and self.kind != "cubic"
        if clamps:  # infinity is beyond the last element
            at = _clamp(at, size)
        at = compare.where(abs(at) <= LARGEST, at, at.scalar(NOWHERE))
        if self.kind == "nearest":
            at = unary.round_(at)
        if clamps:
            return _clamp(at, size)
        mirrors = self.border == "reflection" and self.kind != "cubic"
        return self._mirror(at, size) if mirrors else at

    def is_nowhere(self, points: Value) -> Value:
        """Which positions [N, *out, 1] stand for no place."""
        if self.border == "border" and self.kind != "cubic":
            nowhere = compare.not_equal(points, points)
        else:
            nowhere = ~(abs(points) <= LARGEST)
        return reduce.reduce_max(nowhere, [-1], keepdim=True)

    def _mirror(self, at: Value, size: int) -> Value:
        """Positions mirrored at the ends of an axis until they lie between."""
        low, high = (0.0, size - 1.0) if self.is_aligned else (-0.5, size - 0.5)
        span = high - low
        if span <= 0:
            return at * 0 + low
        away = abs(at - low)
        rest = away % span
        even = compare.equal(unary.floor(away / span) % 2, at.scalar(0))
        mirrored = compare.where(even, rest + low, high - rest)
        return compare.where((at < low) | (at > high), mirrored, at)

    def neighbours(self, at: Value) -> Neighbours:
        """Positions and weights of what makes up one value."""
        if self.kind == "nearest":
            return [(at, None)]
        base = unary.floor(at)
        part = at - base
        if self.kind == "linear":
            return [(base, 1 - part), (base + 1, part)]
        return [(base + k, _cubic(abs(k - part))) for k in range(-1, 3)]

    def pixels(self, rows: Value, where: list[Value]) -> Value:
        """[N, *out, C] of rows of pixels."""
        count = rows.shape[0]
        is_small = isinstance(count, int) and count < 1 << 31
        whole = Precision.INT32 if is_small else Precision.INT64
        flat = build.arange_along(where[0], 0, whole, aligned=True)
        for at, size in zip(where, self.sizes, strict=True):
            inner = self._mirror(at, size) if self.border == "reflection" else at
            flat = flat * size + _clamp(inner, size).cast(whole)
        found = index.gather(rows, flat, axis=0)
        if self.border != "zeros":
            return found
        fits = [(at >= 0) & (at < n) for at, n in zip(where, self.sizes, strict=True)]
        return compare.where(shape.unsqueeze(fold(and_, fits), [-1]), found, found.scalar(0))


def _clamp(at: Value, size: int) -> Value:
    return activation.clip(at, at.scalar(0), at.scalar(max(size - 1, 0)))


def _cubic(x: Value) -> Value:
    """The convolution kernel of Keys (1981)."""
    a = CUBIC
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return compare.where(x <= 1, near, compare.where(x < 2, far, x.scalar(0)))
