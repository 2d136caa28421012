"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import contents, ints, length_of
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import shape
from nnir.types import Precision

from ...attributes import Ints
from ...lowering import Lowerings
from ...orders import identity, order_with_ones
from . import windows
from .binary import spread
from .emitter import Emitter, Operand, Ref, result_shape

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


@table.lower(
    *(shape.flatten, shape.squeeze, shape.unsqueeze), implied=["axes", "start_axis", "end_axis"]
)
def same_elements(g: Emitter, input: Value) -> Ref:
    """Where only axes of size 1 come and go, the others keep the order that they are stored in."""
    ref, target = g.take(input), result_shape(g)
    order = order_with_ones(ref.order, ref.shape, target)
    stored = [a for a in order or () if target[a] != 1]
    if order is None or stored == sorted(stored) or ref.tensor.data is not None:
        return g.reshape(ref, target)
    flat = ref.stored(identity(ref.rank))
    return g.reshape(flat, [target[a] for a in order]).stored(order)


@table.lower(shape.reshape, shape.reshape_exact)
def reshape(g: Emitter, input: Value, shape: Value) -> Ref:
    """To sizes that are known, or that tensors have, else to what is computed."""
    target = result_shape(g)
    unknown = [d for d in target if isinstance(d, Expr)]
    if len(unknown) < 2 or target == input.shape or all(map(g.knows, unknown)):
        return same_elements(g, input)
    if 0 in (contents(shape) or ()):
        raise NoLowering(f"litert: reshape of {input.type} to sizes of which some are not known")
    return g.move("RESHAPE", [g.plain(input)], int32(g, shape))


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Value, *, perm: Ints | None) -> Ref:
    """No work."""
    return g.take(input).transposed(perm)


@table.lower(shape.concat)
def concat(g: Emitter, *input: Value, axis: int) -> Ref:
    filled = [v for v in input if 0 not in v.shape]
    parts, order = g.aligned(*(filled or input[:1]))
    if len(parts) == 1:
        return parts[0]
    return g.move("CONCATENATION", parts, axis=order.index(axis % len(order)))


@table.lower(shape.expand)
def expand(g: Emitter, input: Value, shape: Value) -> Ref:
    ref, target = g.take(input), result_shape(g)
    order = ref.order if ref.rank == len(target) else identity(len(target))
    if all(d in g.places or d in ref.shape for d in target if isinstance(d, Expr)):
        return spread(g, g.broadcastable(ref, order), result_shape(g, order), order)
    if len(target) != length_of(shape):
        raise NoLowering(f"litert: expand of {input.type} to sizes that are not known")
    own = g.sizes((*(1,) * (len(target) - ref.rank), *ref.shape))
    sizes = int32(g, shape)
    sizes = g.where(sizes < 0, own, sizes)
    return g.move("BROADCAST_TO", [g.plain(ref)], sizes)


@table.lower(shape.tile)
def tile(g: Emitter, input: Value, repeats: Value) -> Ref:
    ref, times, rank = g.take(input), int32(g, repeats), len(result_shape(g))
    if rank > ref.rank:
        ref = g.reshape(ref, (*(1,) * (rank - ref.rank), *ref.shape))
    known = times.constant
    if known is None:
        ref = g.plain(ref)
        if length_of(repeats) != rank:
            raise NoLowering("litert tiles all axes only")
    else:
        row = (*(1,) * (rank - known.size), *known.flat)
        if set(row) <= {1}:
            return ref
        times = g.ints(*(row[a] for a in ref.order))
    return g.move("TILE", [ref], times)


@table.lower(shape.shape)
def shape_(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    code = {Precision.INT32: 2, Precision.INT64: 4}[dtype]
    return g.one("SHAPE", [g.plain(input)], dtype, out_type=code)


@table.lower(shape.pad)
def pad(g: Emitter, input: Value, pads: Value, value: Value | None) -> Ref:
    known = ints(pads)
    if known is None or min(known, default=0) < 0:
        raise NoLowering("litert pads by known amounts only, and cuts nothing")
    ref = g.take(input)
    pairs = [known[2 * a : 2 * a + 2] for a in ref.order]
    if value is None or (value.constant is not None and not value.constant.any()):
        return windows.grow(g, ref, pairs)
    kind = ref.tensor.precision
    if g.movable("PADV2", kind) != kind:
        raise NoLowering(f"litert has no kernel of PADV2 for {kind.name}")
    return windows.grow(g, ref, pairs, g.reshape(value, ()))
