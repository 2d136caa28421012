"""x * sigmoid(x) as one operation."""

from __future__ import annotations

from ..model import Model, Operation, Value
from ..ops import activation, binary
from ..types import Fuse
from .rewrite import made_by, rewrite, sweep


def _swished(operation: Operation) -> Value | None:
    """The x of a multiplication x * sigmoid(x)."""
    if operation.operator is not binary.mul or operation.attributes["fuse_code"] != Fuse.NONE:
        return None
    for x, gate in (operation.inputs, operation.inputs[::-1]):
        sigmoid = made_by(gate, activation.sigmoid)
        if sigmoid is not None and sigmoid.inputs[0] is x:
            return x
    return None


@rewrite(ensures=lambda model: all(_swished(o) is None for o in model.operations))
def fuse_swish(model: Model) -> bool:
    """Write x * sigmoid(x) as SWISH.

    Ensures: no such product is left.
    """
    modified = False
    for operation in list(model.operations):
        x = _swished(operation)
        if x is not None:
            model.replace(operation.outputs[0], activation.swish(x))
            modified = True
    return sweep(model) or modified
