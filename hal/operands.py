"""What a lowering reads while compiling, as its annotations ask for it."""

from __future__ import annotations

from typing import Annotated, TypeVar

from nnir.broadcast import axes_of, axis_of, ints
from nnir.errors import NoLowering
from nnir.model import Value

from .attributes import Ints
from .emission import Emission

R = TypeVar("R")


def known_ints(g: Emission[R], operand: Value) -> Ints:
    """The elements of an operand; NoLowering where they are only known while running."""
    found = ints(operand)
    if found is None:
        raise _unknown(g, operand)
    return found


def known_number(g: Emission[R], operand: Value) -> float:
    """The only element of an operand; NoLowering where it is only known while running."""
    found = operand.known
    if found is None or found.size != 1:
        raise _unknown(g, operand)
    return float(found.item())


def _unknown(g: Emission[R], operand: Value) -> NoLowering:
    operation = g.operation
    name = operation.operator.tensors[operation.inputs.index(operand)]
    return NoLowering(f"{g.device} needs known {name} of {operation.operator.name}")


def reduced_axes(g: Emission[R], operand: Value) -> Ints:
    """The axes that a reduction leaves out, from the front: all where none is named."""
    rank = g.operation.inputs[0].rank  # type: ignore[union-attr]  # what is reduced
    named = () if 0 in operand.shape else known_ints(g, operand)
    return tuple(sorted(axes_of(named, rank))) or tuple(range(rank))


def axis_from_front(g: Emission[R], axis: int) -> int:
    """An axis of the first operand, from the front."""
    first = g.operation.inputs[0]
    return axis if first is None else axis_of(axis, first.rank)


Known = Annotated[Ints, known_ints]
Number = Annotated[float, known_number]
Axes = Annotated[Ints, reduced_axes]
Axis = Annotated[int, axis_from_front]
