"""Sampling of images at positions: neighbours are gathered from the flattened planes."""

from __future__ import annotations

import itertools
import math

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize
from nnir.ops.resize import BORDERS, KINDS
from nnir.ops.sampling import CUBIC
from nnir.types import InterpolateMode, PadMode, Precision

from ...lowering import Lowerings
from ...orders import channels_last, identity
from . import windows
from .binary import clip_between
from .emitter import Emitter, Ref
from .shape import drop_axes, part
from .static import numbers
from .unary import real

table = Lowerings[Ref]()
INT32 = Precision.INT32


class Sampler:
    """Positions, neighbours and weights along the axes of planes of known sizes."""

    def __init__(
        self, g: Emitter, sizes: list[int], kind: str, border: str, *, align_corners: bool
    ) -> None:
        self.g = g
        self.sizes, self.kind, self.border, self.align = sizes, kind, border, align_corners

    def position(self, x: Ref, size: int) -> Ref:
        """[-1, 1] to an axis of `size`; what is not finite lies outside."""
        at = (x + 1) / 2 * (size - 1) if self.align else ((x + 1) * size - 1) / 2
        return self.g.where(abs(at) <= float(np.finfo(np.float32).max), at, -2)

    def bounded(self, at: Ref, size: int) -> Ref:
        """As the border moves positions."""
        match self.border:
            case "zeros":
                return at
            case "border":
                return self.inside(at, size)
            case "reflection":
                return self.reflected(at, size)
        raise NoLowering(f"litert has no border {self.border!r}")

    def inside(self, at: Ref, size: int) -> Ref:
        return clip_between(self.g, at, 0, max(size - 1, 0))

    def reflected(self, at: Ref, size: int) -> Ref:
        g = self.g
        low, high = (0.0, size - 1.0) if self.align else (-0.5, size - 0.5)
        span = high - low
        if span <= 0:
            return at * 0 + low
        away = abs(at - low)
        turns = g.elementwise("FLOOR", away / span)
        rest = away % span
        even = (turns % 2).equal(0)
        mirrored = g.where(even, rest + low, high - rest)
        return g.where((at < low) | (at > high), mirrored, at)

    def neighbours(self, at: Ref) -> list[tuple[Ref, Ref | None]]:
        """Positions and weights of what makes up one value."""
        if self.kind == "nearest":
            return [(at, None)]
        base = self.g.elementwise("FLOOR", at)
        part_ = at - base
        if self.kind == "linear":
            return [(base, 1 - part_), (base + 1, part_)]
        steps = range(-1, 3)
        return [(base + k, self.cubic(abs(k - part_))) for k in steps]

    def cubic(self, x: Ref) -> Ref:
        g, a = self.g, CUBIC
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return g.where(x <= 1, near, g.where(x < 2, far, 0))

    def pixels(self, planes: Ref, batch: np.ndarray, where: list[Ref]) -> Ref:
        """[N, ..., C] of the flattened planes."""
        g = self.g
        flat: Ref | None = None
        known: Ref | None = None
        for at, size in zip(where, self.sizes, strict=True):
            if self.border == "zeros":
                fits = (at >= 0) & (at < size)
                known = fits if known is None else known & fits
            if self.border == "reflection":
                at = self.reflected(at, size)
            index = self.inside(at, size).cast(INT32)
            flat = index if flat is None else flat * size + index
        if flat is None:
            raise NoLowering("a sample of no axes")
        flat = g.plain(flat + g.constant(batch))
        shape = (*flat.shape, planes.shape[1])
        found = g.move("GATHER", [planes], shape, identity(len(shape)), flat, axis=0)
        if known is None:
            return found
        return g.where(g.reshape(known, (*flat.shape, 1)), found, 0)


@table.lower(resize.grid_sample, resize.grid_sample_3d)
def grid_sample(
    g: Emitter,
    input: Value,
    grid: Value,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> Ref:
    real(g, input)
    points = g.plain(real(g, grid))
    if not (input.is_static and grid.is_static):
        raise NoLowering(f"litert samples {input.type} at known numbers of positions only")
    sizes = windows.spatial_sizes("grid_sample", input)
    rank = len(sizes)
    sampler = Sampler(g, sizes, KINDS[mode], BORDERS[pad_mode], align_corners=align_corners)
    axes = []
    for axis, size in enumerate(sizes):
        x = drop_axes(g, part(g, points, rank + 1, rank - 1 - axis, 1), (rank + 1,))
        at = sampler.position(x, size)
        at = g.elementwise("ROUND", at) if sampler.kind == "nearest" else at
        at = at if sampler.kind == "cubic" else sampler.bounded(at, size)
        axes.append(sampler.neighbours(at))
    count, channels = numbers(input.shape[:2])
    stored = windows.stored_last(g, input)
    every = math.prod(sizes)
    planes = g.reshape(stored.stored(identity(rank + 2)), (count * every, channels))
    batch = (np.arange(count, dtype=np.int32) * every).reshape(-1, *(1,) * rank)
    total: Ref | None = None
    for taps in itertools.product(*axes):
        values = sampler.pixels(planes, batch, [at for at, _ in taps])
        weights = [w for _, w in taps if w is not None]
        if weights:
            weight = weights[0]
            for other in weights[1:]:
                weight = weight * other
            values = values * g.reshape(weight, (*weight.shape, 1))
        total = values if total is None else total + values
    if total is None:
        raise NoLowering("a sample of no neighbours")
    return total.stored(channels_last(rank + 2))
