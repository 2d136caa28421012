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
from .emitter import Emitter, Ref
from .shape import drop_axes, part
from .static import numbers
from .unary import Arithmetic, real

table = Lowerings[Ref]()
INT32 = Precision.INT32


class Sampler:
    """Positions, neighbours and weights along the axes of planes of known sizes."""

    def __init__(
        self, g: Emitter, sizes: list[int], kind: str, border: str, *, align_corners: bool
    ) -> None:
        self.g, self.f = g, Arithmetic(g)
        self.sizes, self.kind, self.border, self.align = sizes, kind, border, align_corners

    def position(self, x: Ref, size: int) -> Ref:
        """[-1, 1] to an axis of `size`; what is not finite lies outside."""
        f = self.f
        if self.align:
            at = f("MUL", f("DIV", f("ADD", x, 1), 2), size - 1)
        else:
            at = f("DIV", f("SUB", f("MUL", f("ADD", x, 1), size), 1), 2)
        finite = f("LESS_EQUAL", f("ABS", at), np.finfo(np.float32).max)
        return f.where(finite, at, -2)

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
        return self.f("MINIMUM", max(size - 1, 0), self.f("MAXIMUM", 0, at))

    def reflected(self, at: Ref, size: int) -> Ref:
        f = self.f
        low, high = (0.0, size - 1.0) if self.align else (-0.5, size - 0.5)
        span = high - low
        if span <= 0:
            return f("ADD", f("MUL", at, 0), low)
        away = f("ABS", f("SUB", at, low))
        turns = f("FLOOR", f("DIV", away, span))
        rest = f("FLOOR_MOD", away, span)
        even = f("EQUAL", f("FLOOR_MOD", turns, 2), 0)
        mirrored = f.where(even, f("ADD", rest, low), f("SUB", high, rest))
        beyond = self.g.elementwise("LOGICAL_OR", f("LESS", at, low), f("GREATER", at, high))
        return f.where(beyond, mirrored, at)

    def neighbours(self, at: Ref) -> list[tuple[Ref, Ref | None]]:
        """Positions and weights of what makes up one value."""
        f = self.f
        if self.kind == "nearest":
            return [(at, None)]
        base = f("FLOOR", at)
        part_ = f("SUB", at, base)
        if self.kind == "linear":
            return [(base, f("SUB", 1, part_)), (f("ADD", base, 1), part_)]
        steps = range(-1, 3)
        return [(f("ADD", base, k), self.cubic(f("ABS", f("SUB", k, part_)))) for k in steps]

    def cubic(self, x: Ref) -> Ref:
        f, a = self.f, CUBIC
        near = f.polynomial(x, (a + 2, -(a + 3), 0, 1))
        far = f.polynomial(x, (a, -5 * a, 8 * a, -4 * a))
        return f.where(f("LESS_EQUAL", x, 1), near, f.where(f("LESS", x, 2), far, 0))

    def pixels(self, planes: Ref, batch: np.ndarray, where: list[Ref]) -> Ref:
        """[N, ..., C] of the flattened planes."""
        g, f = self.g, self.f
        flat: Ref | None = None
        known: Ref | None = None
        for at, size in zip(where, self.sizes, strict=True):
            if self.border == "zeros":
                fits = g.elementwise("LOGICAL_AND", f("GREATER_EQUAL", at, 0), f("LESS", at, size))
                known = fits if known is None else g.elementwise("LOGICAL_AND", known, fits)
            if self.border == "reflection":
                at = self.reflected(at, size)
            index = g.cast(self.inside(at, size), INT32)
            row = g.constant(size, np.int32)
            flat = (
                index
                if flat is None
                else g.elementwise("ADD", g.elementwise("MUL", flat, row), index)
            )
        if flat is None:
            raise NoLowering("a sample of no axes")
        flat = g.plain(g.elementwise("ADD", flat, g.constant(batch)))
        shape = (*flat.shape, planes.shape[1])
        found = g.move("GATHER", [planes], shape, identity(len(shape)), flat, axis=0)
        if known is None:
            return found
        return f.where(g.reshape(known, (*flat.shape, 1)), found, 0)


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
        at = sampler.f("ROUND", at) if sampler.kind == "nearest" else at
        at = at if sampler.kind == "cubic" else sampler.bounded(at, size)
        axes.append(sampler.neighbours(at))
    count, channels = numbers(input.shape[:2])
    stored = windows.stored_last(g, input)
    every = math.prod(sizes)
    planes = g.reshape(
        Ref(stored.tensor, identity(rank + 2), stored.precision), (count * every, channels)
    )
    batch = (np.arange(count, dtype=np.int32) * every).reshape(-1, *(1,) * rank)
    total: Ref | None = None
    for taps in itertools.product(*axes):
        values = sampler.pixels(planes, batch, [at for at, _ in taps])
        weights = [w for _, w in taps if w is not None]
        if weights:
            weight = weights[0]
            for other in weights[1:]:
                weight = sampler.f("MUL", weight, other)
            values = sampler.f("MUL", values, g.reshape(weight, (*weight.shape, 1)))
        total = values if total is None else sampler.f("ADD", total, values)
    if total is None:
        raise NoLowering("a sample of no neighbours")
    return Ref(total.tensor, channels_last(rank + 2), total.precision)
