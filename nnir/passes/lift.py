"""Transposes go before dequantisation, where elements are smallest."""

from __future__ import annotations

from ..broadcast import axis_of
from ..model import Model, Operation, Value
from ..ops import quant, shape
from . import layout_shapes
from .orders import Perm, order_of, turned
from .rewrite import rewrite, sweep


def _dequantized(operation: Operation) -> Operation | None:
    """What a transpose reads, where that is a dequantisation that nobody else reads."""
    source = operation.inputs[0] if operation.operator is shape.transpose else None
    made = None if source is None else source.producer
    if source is None or made is None or made.operator is not quant.dequantize_linear:
        return None
    alone = len(source.uses) == 1 and not made.attributes["block_size"]
    return made if alone and not any(source is v for v in source.model.outputs) else None


def _moved(stored: Value, perm: Perm) -> Value:
    """A transpose of integers, or less than that where they were transposed or reshaped before."""
    moved = turned(stored, perm)
    less = layout_shapes.transposed(moved.producer) if moved.producer is not None else None
    return less[0] if less is not None else moved


def _is_lifted(model: Model) -> bool:
    return not any(_dequantized(o) for o in model.operations)


@rewrite(ensures=_is_lifted)
def lift_transposes(model: Model) -> bool:
    """Transpose integers instead of the numbers that they stand for.

    Ensures: no transpose is all that reads a dequantisation.
    """
    changed = False
    for operation in model.sorted():
        made = _dequantized(operation)
        order = order_of(operation.outputs[0])
        if made is None or order is None:
            continue
        stored, *scaled = made.inputs
        if stored is None:
            continue
        perm = order[1]
        axis = perm.index(axis_of(made.attributes["axis"], len(perm)))
        model.origin = operation.origin
        given = {**made.attributes, "axis": axis}
        lifted = quant.dequantize_linear(_moved(stored, perm), *scaled, **given)
        model.replace(operation.outputs[0], lifted)
        changed = True
    model.origin = None
    return changed and (sweep(model) or changed)
