"""What moves elements: the operator's own meaning, on the places of the elements, says how."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import index, resize, shape

from ...attributes import Ints
from ...lowering import Lowerings
from ...orders import identity
from .emitter import BYTES, Emitter, Operand, Ref, result_shape
from .graph import INT, QUANT
from .quant import as_numbers
from .sizes import join_axes

table = Lowerings[Ref]()
Refs = tuple[Ref, ...]
NOTHING = -1


def places_of(ref: Ref) -> np.ndarray:
    """Where each element of a value lies in memory."""
    stored = np.arange(math.prod(ref.shape)).reshape(ref.shape)
    return stored.transpose(np.argsort(ref.order))


def constants(g: Emitter) -> list[np.ndarray | None]:
    """The operands behind the first, which must be known."""
    found = []
    for value in g.operation.inputs[1:]:
        if value is not None and value.constant is None:
            raise NoLowering(f"{g.operation.operator.name} on nnapi needs constant positions")
        found.append(None if value is None else value.constant)
    return found


@table.lower(
    *(shape.expand, shape.tile, index.slice_, index.roll, index.gather_nd),
    *(index.gather_elements, index.channel_shuffle, resize.resize_nearest),
    implied=[
        *("shape", "repeats", "axes", "starts", "ends", "steps", "shifts", "indices"),
        *("axis", "batch_dims", "group", "scales", "align_corners"),
    ],
)
def _move(g: Emitter, input: Value) -> Ref:
    """Elements of one tensor at other places."""
    return moves(g, input, *constants(g))[0]


def moves(g: Emitter, operand: Operand, *others: np.ndarray | None) -> list[Ref]:
    """The results of the operation that is lowered, whose elements are those of one operand."""
    ref, operation = g.take(operand), g.operation
    made = operation.operator.reference(places_of(ref), *others, **operation.attributes)
    results = list(made) if isinstance(made, (tuple, list)) else [made]
    return [take_places(g, ref, np.asarray(r)) for r in results]


def take_places(g: Emitter, ref: Ref, places: np.ndarray) -> Ref:
    tensor = g.pick(ref, np.ascontiguousarray(places))
    return Ref(tensor, places.shape, identity(places.ndim), ref.precision)


@table.lower(shape.split, shape.unstack, implied=["split", "axis", "num"])
def _part(g: Emitter, input: Value) -> Refs:
    """Elements of one tensor as several."""
    return tuple(moves(g, input, *constants(g)))


@table.lower(shape.pad, implied=["pads", "mode"])
def pad(g: Emitter, input: Value, pads: Value, value: Value | None) -> Ref:
    """Borders of one number are one more row of the table."""
    if pads.constant is None or (value is not None and value.constant is None):
        raise NoLowering("nnapi pads by constant sizes and numbers alone")
    ref, attributes = g.take(input), g.operation.attributes
    border = np.array(NOTHING)
    places = g.operation.operator.reference(places_of(ref), pads.constant, border, **attributes)
    number = np.float32(0) if value is None else value.constant
    if ref.precision in BYTES:
        ref = as_numbers(g, ref)
    inner = np.asarray(places)
    fill = None
    if np.any(inner == NOTHING):
        fill = g.constant(np.asarray(number, np.float32).reshape(())).tensor
    tensor = g.pick(ref, np.ascontiguousarray(inner), fill)
    return Ref(tensor, inner.shape, identity(inner.ndim), ref.precision)


# The same elements in the same order


@table.lower(
    *(shape.reshape, shape.reshape_exact, shape.squeeze, shape.unsqueeze, shape.flatten),
    implied=["shape", "axes", "start_axis", "end_axis"],
)
def _reshape(g: Emitter, input: Value) -> Ref:
    """Where only axes of size 1 come and go, the others keep the order that they are stored in."""
    target = result_shape(g)
    ref = g.take(input)
    kept = [a for a in ref.order if ref.sizes[a] != 1]
    if [d for d in ref.sizes if d != 1] != [d for d in target if d != 1]:
        return g.reshape(ref, target)
    places = iter(sorted(kept))
    renamed = {next(places): k for k, d in enumerate(target) if d != 1}
    ones = [k for k, d in enumerate(target) if d == 1]
    order = (*ones, *(renamed[a] for a in kept))
    return Ref(ref.tensor, tuple(target[a] for a in order), order, ref.precision)


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Value, *, perm: Ints | None) -> Ref:
    """No work: the same tensor, whose axes are called otherwise."""
    ref = g.take(input)
    order = [axis_of(a, input.rank) for a in perm] if perm else list(range(input.rank))[::-1]
    return Ref(ref.tensor, ref.shape, tuple(order.index(a) for a in ref.order), ref.precision)


# Several tensors


@table.lower(shape.concat)
def concat(g: Emitter, *input: Value, axis: int) -> Ref:
    return join(g, list(input), axis_of(axis, input[0].rank))


@table.lower(shape.stack)
def stack(g: Emitter, *input: Value, axis: int) -> Ref:
    place = axis_of(axis, input[0].rank, extra=1)
    target = result_shape(g)
    one = tuple(1 if k == place else d for k, d in enumerate(target))
    return join(g, [g.reshape(v, one) for v in input], place)


def join(g: Emitter, operands: Sequence[Operand], axis: int) -> Ref:
    """One after the other along an axis, as CONCATENATION of [before, along, behind]."""
    refs = alike(g, [g.take(o) for o in operands])
    if refs[0].tensor.type == INT:
        raise NoLowering("nnapi joins no INT32")
    order = max((r.order for r in refs), key=[r.order for r in refs].count)
    refs = [g.ordered(r, order) for r in refs]
    place = order.index(axis)
    parts = [g.dims(r, _around(r.shape, place)) for r in refs]
    total = sum(p.dims[1] for p in parts)
    dims = (parts[0].dims[0], total, parts[0].dims[2])
    kind, grid = parts[0].type, parts[0].grid
    made = g.step(OperationType.CONCATENATION, [*parts, 1], dims, kind, grid)
    shape = list(refs[0].shape)
    shape[place] = total
    whole = Ref(made, tuple(shape), order, refs[0].precision)
    return Ref(g.dims(whole, join_axes(whole.shape)), whole.shape, order, whole.precision)


def _around(shape: tuple[int, ...], place: int) -> tuple[int, int, int]:
    return math.prod(shape[:place]), shape[place], math.prod(shape[place + 1 :])


def alike(g: Emitter, refs: list[Ref]) -> list[Ref]:
    """Integers of one scale, or all as numbers; what is no integer of 8 bits stays."""
    grids = [r.tensor.grid for r in refs if r.tensor.scale]
    one = all(r.tensor.type == QUANT for r in refs) and len(set(grids)) == 1
    if one and all(g.settle(r.tensor, grids[0]) for r in refs):
        return refs
    return [as_numbers(g, r) for r in refs]
