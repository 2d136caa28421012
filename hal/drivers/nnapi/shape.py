"""What moves elements: the operator's own meaning, on the places of the elements, says how."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir.errors import NoLowering
from nnir.ops import shape

from ...attributes import Ints
from ...lowering import Lowerings
from ...orders import order_with_ones
from .emitter import BYTES, MOST_AXES, Emitter, Ref, Taken, result_shape
from .graph import INT, QUANT
from .quant import as_numbers

table = Lowerings[Ref]()
NOTHING = -1


@table.lower(
    *(shape.expand, shape.tile, shape.split, shape.unstack),
    implied=["shape", "repeats", "split", "axis", "num"],
)
def moves(g: Emitter, input: Taken) -> tuple[Ref, ...]:
    """The results of the operation that is lowered, whose elements are those of one operand."""
    return tuple(g.moved(input, places) for places in places_of_results(g, input, *constants(g)))


def constants(g: Emitter) -> list[np.ndarray | None]:
    """The operands behind the first, which must be known."""
    others = g.operation.inputs[1:]
    if any(v is not None and v.constant is None for v in others):
        raise NoLowering(f"{g.operation.operator.name} on nnapi needs constant positions")
    return [None if v is None else v.constant for v in others]


def places_of_results(g: Emitter, ref: Ref, *others: np.ndarray | None) -> list[np.ndarray]:
    """Where in memory the elements lie that the operation which is lowered gives."""
    made = g.operation.operator.reference(ref.places, *others, **g.operation.attributes)
    return [*made] if isinstance(made, (tuple, list)) else [np.asarray(made)]


@table.lower(shape.pad, implied=["pads", "value", "mode"])
def pad(g: Emitter, input: Taken) -> Ref:
    """Borders of one number are one more row of the table."""
    known, number = constants(g)
    (places,) = places_of_results(g, input, known, np.array(NOTHING))
    if input.precision in BYTES:
        input = as_numbers(g, input)
    border = g.constant(np.float32(0 if number is None else np.reshape(number, ())))
    fill = border.tensor if np.any(places == NOTHING) else None
    return g.moved(input, places, fill=fill)


# The same elements in the same order


@table.lower(
    *(shape.reshape, shape.reshape_exact, shape.squeeze, shape.unsqueeze, shape.flatten),
    implied=["shape", "axes", "start_axis", "end_axis"],
)
def _reshape(g: Emitter, input: Taken) -> Ref:
    """Where only axes of size 1 come and go, the others keep the order that they are stored in."""
    target = result_shape(g)
    order = order_with_ones(input.order, input.sizes, target)
    if order is None:
        return g.reshape(input, target)
    return input.stored(tuple(target[a] for a in order), order)


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Taken, *, perm: Ints | None) -> Ref:
    return input.transposed(perm)


# Several tensors


@table.lower(shape.concat)
def concat(g: Emitter, *input: Taken, axis: int) -> Ref:
    """One after the other along an axis; of more than four as [before, along, behind]."""
    refs = alike(g, input)
    if refs[0].tensor.type == INT:
        raise NoLowering("nnapi joins no INT32")
    order = max((r.order for r in refs), key=[r.order for r in refs].count)
    refs = [g.ordered(r, order) for r in refs]
    place, whole = order.index(axis % len(order)), result_shape(g, order)
    if len(order) > MOST_AXES:
        before, behind = math.prod(whole[:place]), math.prod(whole[place + 1 :])
        refs = [r.stored((before, r.shape[place], behind)) for r in refs]
        place, whole = 1, (before, whole[place], behind)
    made = g.one("CONCATENATION", [*refs, place], whole, like=refs[0])
    return made.stored(result_shape(g, order), order)


def alike(g: Emitter, refs: Sequence[Ref]) -> list[Ref]:
    """Integers of one scale, or all as numbers; what is no integer of 8 bits stays."""
    grids = [r.tensor.grid for r in refs if r.tensor.scale]
    one = all(r.tensor.type == QUANT for r in refs) and len(set(grids)) == 1
    if one and all(g.settle(r.tensor, grids[0]) for r in refs):
        return [*refs]
    return [as_numbers(g, r) for r in refs]
