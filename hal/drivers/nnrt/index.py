"""Slices, and elements by their positions."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axes_of, axis_of, ints
from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import index
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, result_shape

table = Lowerings[Ref]()
INT32 = Precision.INT32

Cut = tuple[int, int, int, int]
"""Begin, end, step, and two bits for a begin and an end that do not count."""

WHOLE: Cut = (0, 0, 1, 3)


def positions(g: Emitter, indices: Value, size: object) -> Ref:
    """Places along an axis as INT32, those that count from the end made plain."""
    if not isinstance(size, int):
        raise NoLowering(f"nnrt takes elements of axes of known sizes, not {size}")
    if indices.constant is not None:
        known = indices.constant.astype(np.int64)
        return g.constant(np.where(known < 0, known + size, known).astype(np.int32))
    where = g.cast(indices, INT32)
    if indices.precision in (Precision.UINT8, Precision.UINT16):
        return where
    return g.where(where < 0, where + size, where)


def take_positions(g: Emitter, x: Ref, place: int, where: np.ndarray) -> Ref:
    """Known positions along an axis as it is stored."""
    size = g.known(x.tensor.shape)[place]
    if len(where) == size and np.array_equal(where, np.arange(size)):
        return x
    sizes = tuple(len(where) if k == place else d for k, d in enumerate(x.tensor.shape))
    made = g.one("GATHER", [x, g.constant(where.astype(np.int32)), g.ints(place)], sizes, x.order)
    g.keep_scale(x.tensor, made.tensor)
    return made


@table.lower(index.gather)
def gather(g: Emitter, input: Value, indices: Value, *, axis: int) -> Ref:
    place = axis_of(axis, input.rank)
    where = g.plain(positions(g, indices, input.shape[place]))
    x = g.plain(input)
    made = g.one("GATHER", [x, where, g.ints(place)], result_shape(g))
    g.keep_scale(x.tensor, made.tensor)
    return made


@table.lower(index.gather_nd)
def gather_nd(g: Emitter, input: Value, indices: Value) -> Ref:
    if indices.precision not in (INT32, Precision.INT64):
        raise NoLowering(f"nnrt has places of INT32 or INT64, not {indices.type}")
    return g.one("GATHER_ND", [g.plain(input), g.plain(indices)], result_shape(g))


@table.lower(index.scatter_nd)
def scatter_nd(g: Emitter, input: Value, indices: Value, updates: Value, *, reduction: str) -> Ref:
    """Into zeros, where what is placed twice is added up."""
    zeros = input.constant is not None and not input.constant.any()
    if not zeros or reduction != "add" or indices.rank < 2:
        raise NoLowering("nnrt scatters into zeros, and adds up what is placed twice")
    target = g.ints(*input.shape)
    operands = [g.plain(indices), g.plain(updates), target]
    return g.one("SCATTER_ND", operands, result_shape(g), None, updates.precision)


@table.lower(index.slice_)
def slice_(
    g: Emitter,
    input: Value,
    axes: Value,
    starts: Value,
    ends: Value,
    steps: Value | None,
) -> Ref:
    bounds = [ints(v) for v in (axes, starts, ends)]
    jumps = None if steps is None else ints(steps)
    if None in bounds or (steps is not None and jumps is None):
        raise NoLowering("nnrt cuts at known places only")
    named, first, last = (tuple(b) for b in bounds if b is not None)
    x = g.take(input)
    rows = [WHOLE] * x.rank
    strides = jumps or (1,) * len(named)
    cuts = zip(axes_of(named, input.rank), first, last, strides, strict=True)
    for axis, start, end, step in cuts:
        rows[x.place(axis)] = _cut(input.shape[axis], start, end, step)
    vectors = [g.ints(*row) for row in zip(*((c[0], c[1], c[2]) for c in rows), strict=True)]
    masks = [sum((c[3] >> bit & 1) << k for k, c in enumerate(rows)) for bit in (0, 1)]
    fields = {"beginMask": masks[0], "endMask": masks[1]}
    fields |= dict.fromkeys(("ellipsisMask", "newAxisMask", "shrinkAxisMask"), 0)
    sizes = tuple(result_shape(g)[a] for a in x.order)
    made = g.one("STRIDED_SLICE", [x, *vectors], sizes, x.order, **fields)
    g.keep_scale(x.tensor, made.tensor)
    return made


def _cut(size: Dim, start: int, end: int, step: int) -> Cut:
    """The bounds of one axis as places in it."""
    if not isinstance(size, int):
        raise NoLowering(f"nnrt cuts axes of known sizes, not {size}")
    begin, stop, step = slice(start, end, step).indices(size)
    return begin, stop, step, 2 if stop < 0 else 0  # -1: down to the first element
