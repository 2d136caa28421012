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
from ...orders import order_with_ones
from .emitter import BYTES, Emitter, Operand, Ref, result_shape
from .graph import INT, QUANT, Tensor
from .quant import as_numbers

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
        found.append(None if value is None else value.constant)
        if value is not None and value.constant is None:
            raise NoLowering(f"{g.operation.operator.name} on nnapi needs constant positions")
    return found


@table.lower(
    *(shape.expand, shape.tile, index.slice_, index.roll, index.gather_nd),
    *(index.gather_elements, index.channel_shuffle, index.reverse_sequence),
    resize.resize_nearest,
    implied=[
        *("shape", "repeats", "axes", "starts", "ends", "steps", "shifts", "indices"),
        *("axis", "batch_dims", "group", "scales", "align_corners", "lengths", "batch_axis"),
        "time_axis",
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


def take_places(g: Emitter, ref: Ref, places: np.ndarray, fill: Tensor | None = None) -> Ref:
    """Elements by their places in memory, in the order of the model; -1 is `fill`."""
    tensor = g.pick(ref, np.ascontiguousarray(places), fill)
    return g.hold(tensor, places.shape, precision=ref.precision)


@table.lower(shape.split, shape.unstack, implied=["split", "axis", "num"])
def _part(g: Emitter, input: Value) -> Refs:
    """Elements of one tensor as several."""
    return tuple(moves(g, input, *constants(g)))


@table.lower(shape.pad, implied=["pads", "value", "mode"])
def pad(g: Emitter, input: Value) -> Ref:
    """Borders of one number are one more row of the table."""
    known, number = constants(g)
    ref, border = g.take(input), np.array(NOTHING)
    places = shape.pad.reference(places_of(ref), known, border, **g.operation.attributes)
    if ref.precision in BYTES:
        ref = as_numbers(g, ref)
    single = np.reshape(np.float32(0) if number is None else number, ()).astype(np.float32)
    fill = g.constant(single).tensor if np.any(places == NOTHING) else None
    return take_places(g, ref, places, fill)


# The same elements in the same order


@table.lower(
    *(shape.reshape, shape.reshape_exact, shape.squeeze, shape.unsqueeze, shape.flatten),
    implied=["shape", "axes", "start_axis", "end_axis"],
)
def _reshape(g: Emitter, input: Value) -> Ref:
    """Where only axes of size 1 come and go, the others keep the order that they are stored in."""
    target = result_shape(g)
    ref = g.take(input)
    order = order_with_ones(ref.order, ref.sizes, target)
    if order is None:
        return g.reshape(ref, target)
    return ref.stored(tuple(target[a] for a in order), order)


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Value, *, perm: Ints | None) -> Ref:
    """No work: the same tensor, whose axes are called otherwise."""
    ref = g.take(input)
    order = [axis_of(a, input.rank) for a in perm] if perm else list(range(input.rank))[::-1]
    return ref.stored(ref.shape, tuple(order.index(a) for a in ref.order))


# Several tensors


@table.lower(shape.concat)
def concat(g: Emitter, *input: Value, axis: int) -> Ref:
    return join(g, list(input), axis_of(axis, input[0].rank))


@table.lower(shape.stack)
def stack(g: Emitter, *input: Value, axis: int) -> Ref:
    place = axis_of(axis, input[0].rank, extra=1)
    *before, _ = result_shape(g)[: place + 1]
    one = (*before, 1, *result_shape(g)[place + 1 :])
    return join(g, [g.reshape(v, one) for v in input], place)


def join(g: Emitter, operands: Sequence[Operand], axis: int) -> Ref:
    """One after the other along an axis, as CONCATENATION of [before, along, behind]."""
    refs = alike(g, [g.take(o) for o in operands])
    if refs[0].tensor.type == INT:
        raise NoLowering("nnapi joins no INT32")
    order = max((r.order for r in refs), key=[r.order for r in refs].count)
    refs = [g.ordered(r, order) for r in refs]
    first, place = refs[0], order.index(axis)
    before, after = first.shape[:place], first.shape[place + 1 :]
    counts = [r.shape[place] for r in refs]
    ends = math.prod(before), math.prod(after)
    parts = [g.dims(r, (ends[0], n, ends[1])) for r, n in zip(refs, counts, strict=True)]
    sizes = ends[0], sum(counts), ends[1]
    made = g.one(OperationType.CONCATENATION, [*parts, 1], sizes, like=first)
    return g.lay(made, (*before, sum(counts), *after), order)


def alike(g: Emitter, refs: list[Ref]) -> list[Ref]:
    """Integers of one scale, or all as numbers; what is no integer of 8 bits stays."""
    grids = [r.tensor.grid for r in refs if r.tensor.scale]
    one = all(r.tensor.type == QUANT for r in refs) and len(set(grids)) == 1
    if one and all(g.settle(r.tensor, grids[0]) for r in refs):
        return refs
    return [as_numbers(g, r) for r in refs]
