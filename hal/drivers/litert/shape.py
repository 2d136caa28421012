"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from nnir.broadcast import axis_of, contents, ints, length_of
from nnir.dim import Expr
from nnir.model import Value
from nnir.ops import shape
from nnir.types import Precision

from ...attributes import Ints
from ...lowering import Lowerings
from ...operands import Axis, Known
from ...orders import identity, order_with_ones
from . import windows
from .binary import spread
from .emitter import Emitter, Operand, Plain, Ref, Refs, Single, Taken, result_shape
from .writer import type_number

table = Lowerings[Ref]()
INT32 = Precision.INT32


def int32(g: Emitter, operand: Operand) -> Ref:
    """Positions or sizes as INT32; those that are larger mean "to the end"."""
    ref = g.take(operand)
    if ref.tensor.precision != Precision.INT64:
        return ref.cast(INT32)
    bounds = np.iinfo(np.int32)
    if ref.tensor.data is not None:
        return g.constant(np.clip(ref.tensor.data, bounds.min, bounds.max).astype(np.int32))
    low = g.elementwise("MAXIMUM", ref, bounds.min)
    return g.elementwise("MINIMUM", low, bounds.max).cast(INT32)


Sizes = Annotated[Ref, int32]


@table.lower(
    *(shape.flatten, shape.squeeze, shape.unsqueeze), implied=["axes", "start_axis", "end_axis"]
)
def same_elements(g: Emitter, input: Taken) -> Ref:
    """Where only axes of size 1 come and go, the others keep the order that they are stored in."""
    target = result_shape(g)
    order = order_with_ones(input.order, input.shape, target)
    if order is None or order == identity(len(target)) or input.tensor.data is not None:
        return g.reshape(input, target)
    flat = input.stored(identity(input.rank))
    return g.reshape(flat, [target[a] for a in order]).stored(order)


@table.lower(shape.reshape, shape.reshape_exact)
def reshape(g: Emitter, input: Taken, shape: Value) -> Ref:
    """To sizes that are known, or that tensors have, else to what is computed."""
    target = result_shape(g)
    unknown = [d for d in target if isinstance(d, Expr)]
    if len(unknown) < 2 or target == input.shape or all(map(g.knows, unknown)):
        return same_elements(g, input)
    g.need(0 not in (contents(shape) or ()), "needs known sizes to reshape where some are 0")
    return g.move("RESHAPE", [g.plain(input)], int32(g, shape))


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Taken, *, perm: Ints | None) -> Ref:
    return input.transposed(perm)


@table.lower(shape.concat)
def concat(g: Emitter, *input: Value, axis: int) -> Ref:
    filled = [v for v in input if 0 not in v.shape]
    parts, order = g.aligned(*(filled or input[:1]))
    if len(parts) == 1:
        return parts[0]
    return g.move("CONCATENATION", parts, axis=order.index(axis % len(order)))


@table.lower(shape.stack)
def stack(g: Emitter, *input: Taken, axis: int) -> Ref:
    is_packed = len(input) > 1 and input[0].precision != Precision.BOOL8
    g.need(is_packed, "packs several tensors of numbers")
    parts, order = g.aligned(*input)
    place = axis_of(axis, len(order), extra=1)
    wide = [a + (a >= place) for a in order]
    wide.insert(place, place)
    return g.move("PACK", parts, order=tuple(wide), axis=place, values_count=len(parts))


@table.lower(shape.unstack)
def unstack(g: Emitter, input: Taken, *, axis: Axis, num: int) -> Refs:
    order = input.without([axis])[1]
    return g.cut("UNPACK", [input], order, axis=input.place(axis), num=num)


@table.lower(shape.split)
def split(g: Emitter, input: Taken, split: Known, *, axis: int) -> Refs:
    g.need(len(set(split)) < 2, "splits into equal pieces")
    place = g.constant(np.int32(input.place(axis)))
    return g.cut("SPLIT", [place, input], input.order, num_splits=len(split))


@table.lower(shape.expand)
def expand(g: Emitter, input: Taken, shape: Value) -> Ref:
    target = result_shape(g)
    order = input.order if input.rank == len(target) else identity(len(target))
    if all(map(g.knows, target)):
        return spread(g, g.broadcastable(input, order), result_shape(g, order), order)
    g.need(len(target) == length_of(shape), "needs known sizes to expand to")
    own = g.sizes((*(1,) * (len(target) - input.rank), *input.shape))
    sizes = int32(g, shape)
    return g.move("BROADCAST_TO", [g.plain(input)], g.where(sizes < 0, own, sizes))


@table.lower(shape.tile)
def tile(g: Emitter, input: Taken, repeats: Sizes) -> Ref:
    rank, known = len(result_shape(g)), repeats.constant
    input = g.widen(input, rank)
    if known is None:
        g.need(repeats.shape == (rank,), "tiles all axes only")
        return g.move("TILE", [g.plain(input)], repeats)
    row = (*(1,) * (rank - known.size), *known.flat)
    if set(row) <= {1}:
        return input
    return g.move("TILE", [input], g.ints(*(row[a] for a in input.order)))


@table.lower(shape.shape)
def shape_(g: Emitter, input: Plain, *, dtype: Precision) -> Ref:
    return g.one("SHAPE", [input], dtype, out_type=type_number(dtype))


@table.lower(shape.pad)
def pad(g: Emitter, input: Taken, pads: Value, value: Single | None) -> Ref:
    known = ints(pads)
    if known is None:
        return _pad_by_run(g, g.plain(input), pads, value)
    g.need(min(known, default=0) >= 0, "cuts nothing off where it pads")
    pairs = [known[2 * a : 2 * a + 2] for a in input.order]
    if value is None or (value.constant is not None and not value.constant.any()):
        return windows.grow(g, input, pairs)
    kind = input.tensor.precision
    g.need(g.movable("PADV2", kind) == kind, f"has no kernel of PADV2 for {kind.name}")
    return windows.grow(g, input, pairs, value)


def _pad_by_run(g: Emitter, input: Ref, pads: Value, value: Ref | None) -> Ref:
    """Borders that only a run says: what is below 0 is cut off behind the others."""
    sides = g.reshape(int32(g, pads), (input.rank, 2))
    most = g.elementwise("MAXIMUM", sides, 0), value or g.number(0, input)
    grown = g.move("PADV2", [input], *most)
    cuts = g.elementwise("MAXIMUM", 0 - sides, 0)
    before, after = (
        g.vector("GATHER", [cuts, g.constant(np.int32(k))], input.rank, axis=1) for k in (0, 1)
    )
    sizes = g.vector("SHAPE", [grown], input.rank, out_type=2)  # not the result's: it has the cuts
    return g.move("SLICE", [grown], before, sizes - before - after)
