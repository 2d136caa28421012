"""Copies that nobody needs."""

from __future__ import annotations

from ..model import Model
from ..ops import unary
from .rewrite import rewrite, sweep


@rewrite(ensures=lambda model: all(o.operator is not unary.assign for o in model.operations))
def remove_copies(model: Model) -> bool:
    """Let the readers of an ASSIGN read what it copies.

    Ensures: no ASSIGN is left. Outputs keep their names, which belong to the model.
    """
    copies = [o for o in model.operations if o.operator is unary.assign]
    for operation in copies:
        source = operation.inputs[0]
        if source is not None:
            model.replace(operation.outputs[0], source)
    return bool(copies) and sweep(model)
