"""Transposes go before dequantisation, where elements are smallest."""

from __future__ import annotations

from ..broadcast import axis_of
from ..model import Operation, Value
from ..ops import quant, shape
from . import layout_shapes
from .matching import ANY, Variable, node, rule
from .orders import Perm, perm_of, transpose_by


def _transpose_stored(stored: Value, perm: Perm) -> Value:
    """A transpose of integers, or less than that where they were transposed or reshaped before."""
    moved = transpose_by(stored, perm)
    less = layout_shapes.sink_transpose(moved.producer) if moved.producer is not None else None
    return less[0] if less is not None else moved


@rule(
    node(
        shape.transpose,
        node(
            quant.dequantize_linear,
            Variable("stored"),
            ANY,
            name="made",
            alone=True,
            attributes=ANY,
        ),
        name="transpose",
        attributes=ANY,
    ),
    where=lambda made: not made.attributes["block_size"],
)
def lift_transposes(stored: Value, made: Operation, transpose: Operation) -> Value:
    """Transpose integers instead of the numbers that they stand for, where the transpose is all
    that reads a dequantisation."""
    perm = perm_of(transpose)
    axis = perm.index(axis_of(made.attributes["axis"], len(perm)))
    given = {**made.attributes, "axis": axis}
    return quant.dequantize_linear(_transpose_stored(stored, perm), *made.inputs[1:], **given)
