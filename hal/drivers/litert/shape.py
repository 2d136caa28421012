"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.broadcast import axis_of, contents, ints, length_of
from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import shape
from nnir.types import Precision

from ...attributes import Ints
from ...lowering import Lowerings
from ...orders import identity
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


@table.lower(shape.reshape, shape.reshape_exact)
def reshape(g: Emitter, input: Value, shape: Value) -> Ref:
    return reshape_to(g, input, shape, result_shape(g))


def reshape_to(g: Emitter, input: Value, shape: Value, target: tuple[Dim, ...]) -> Ref:
    """To sizes that are known, or that tensors have, else to what is computed."""
    kept = _move_ones(g, input, target)
    if kept is not None:
        return kept
    unknown = [d for d in target if isinstance(d, Expr)]
    if len(unknown) < 2 or all(d in g.places for d in unknown):
        return g.reshape(input, target)
    wanted = contents(shape)
    if wanted is not None and 0 in wanted:
        raise NoLowering(f"litert: reshape of {input.type} to sizes of which some are not known")
    ref = g.plain(input)
    vector = int32(g, shape)
    return g.move("RESHAPE", [ref], target, identity(len(target)), vector)


def _move_ones(g: Emitter, input: Value, target: tuple[Dim, ...]) -> Ref | None:
    """A reshape that only puts in or takes out axes of size 1 keeps the order of the others."""
    ref = g.take(input)
    if ref.order == identity(ref.rank) or ref.tensor.data is not None:
        return None
    if [d for d in ref.shape if d != 1] != [d for d in target if d != 1]:
        return None
    long = [a for a in range(ref.rank) if ref.shape[a] != 1]
    places = [k for k, d in enumerate(target) if d != 1]
    stored = [places[long.index(a)] for a in ref.order if a in long]
    if stored == sorted(stored):
        return None
    ones = [k for k, d in enumerate(target) if d == 1]
    order = (*ones, *stored)
    flat = ref.stored(identity(ref.rank))
    return g.reshape(flat, tuple(target[a] for a in order)).stored(order)


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Value, *, perm: Ints | None) -> Ref:
    """No work: the same tensor, whose axes are called otherwise."""
    ref = g.take(input)
    order = [axis_of(a, input.rank) for a in perm] if perm else list(range(input.rank))[::-1]
    return ref.stored(tuple(order.index(a) for a in ref.order))


@table.lower(shape.squeeze, implied=["axes"])
def squeeze(g: Emitter, input: Value) -> Ref:
    return _with_ones(g, input)


@table.lower(shape.unsqueeze)
def unsqueeze(g: Emitter, input: Value, axes: Value) -> Ref:
    if ints(axes) is None:
        raise NoLowering("litert inserts known axes only")
    return _with_ones(g, input)


def _with_ones(g: Emitter, input: Value) -> Ref:
    target = result_shape(g)
    kept = _move_ones(g, input, target)
    return g.reshape(input, target) if kept is None else kept


@table.lower(shape.concat)
def concat(g: Emitter, *input: Value, axis: int) -> Ref:
    return join(g, list(input), axis_of(axis, input[0].rank), result_shape(g))


def join(g: Emitter, operands: Sequence[Value | Ref], axis: int, target: tuple[Dim, ...]) -> Ref:
    """Tensors one after the other along an axis of the value."""
    filled = [v for v in operands if 0 not in v.shape]
    refs = [g.take(v) for v in filled]
    if len(refs) == 1:
        return refs[0]
    order = g.aligned(*refs)[1]
    parts = [g.ordered(r, order) for r in refs]
    sizes = tuple(target[a] for a in order)
    return g.move("CONCATENATION", parts, sizes, order, axis=order.index(axis))


@table.lower(shape.expand)
def expand(g: Emitter, input: Value, shape: Value) -> Ref:
    target = result_shape(g)
    ref = g.take(input)
    if ref.shape == target:
        return ref
    unknown = [d for d in target if isinstance(d, Expr)]
    if any(d not in g.places for d in unknown):
        if len(target) != length_of(shape):
            raise NoLowering(f"litert: expand of {input.type} to sizes that are not known")
        plain = g.plain(ref)
        vector = _keep_sizes(g, plain, int32(g, shape))
        return g.move("BROADCAST_TO", [plain], target, identity(len(target)), vector)
    order = ref.order if ref.rank == len(target) else identity(len(target))
    wide = g.broadcastable(ref, order)
    return spread(g, wide, tuple(target[a] for a in order), order)


def _keep_sizes(g: Emitter, ref: Ref, sizes: Ref) -> Ref:
    """Sizes with those of the tensor in the place of -1."""
    lead = sizes.shape[0]
    if not isinstance(lead, int):
        raise NoLowering("litert expands to a known number of axes only")
    own = g.sizes((*(1,) * (lead - ref.rank), *ref.shape))
    below = sizes < 0
    return g.where(below, own, sizes)


@table.lower(shape.tile)
def tile(g: Emitter, input: Value, repeats: Value) -> Ref:
    target = result_shape(g)
    known = ints(repeats)
    ref = g.take(input)
    if len(target) > input.rank:
        ref = g.reshape(ref, (1,) * (len(target) - input.rank) + input.shape)
    if known is None:
        if length_of(repeats) != len(target):
            raise NoLowering("litert tiles all axes only")
        plain = g.plain(ref)
        return g.move("TILE", [plain], target, plain.order, int32(g, repeats))
    times = (1,) * (ref.rank - len(known)) + known
    if all(t == 1 for t in times):
        return ref
    vector = g.ints(*(times[a] for a in ref.order))
    return g.move("TILE", [ref], tuple(target[a] for a in ref.order), ref.order, vector)


@table.lower(shape.shape)
def shape_(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    ref = g.plain(input)
    code = {Precision.INT32: 2, Precision.INT64: 4}[dtype]
    return g.one("SHAPE", [ref], dtype, (input.rank,), out_type=code)


@table.lower(shape.pad)
def pad(g: Emitter, input: Value, pads: Value, value: Value | None) -> Ref:
    known = ints(pads)
    if known is None or min(known, default=0) < 0:
        raise NoLowering("litert pads by known amounts only, and cuts nothing")
    ref, target = g.take(input), result_shape(g)
    if not any(known):
        return ref
    shape = tuple(target[a] for a in ref.order)
    amounts = g.constant(np.array([known[2 * a : 2 * a + 2] for a in ref.order], np.int32))
    if value is None or (value.constant is not None and not value.constant.any()):
        return g.move("PAD", [ref], shape, ref.order, amounts)
    kind = ref.tensor.precision
    if g.movable("PADV2", kind) != kind:
        raise NoLowering(f"litert has no kernel of PADV2 for {kind.name}")
    return g.move("PADV2", [ref], shape, ref.order, amounts, g.reshape(value, ()))
