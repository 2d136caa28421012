"""Dead code."""

from __future__ import annotations

from ..model import Model
from .rewrite import rewrite, sweep


def _is_alive(model: Model) -> bool:
    outputs = set(model.outputs)
    return all(any(v.uses or v in outputs for v in o.outputs) for o in model.operations)


@rewrite(ensures=_is_alive, keeps_types=True)
def remove_dead_code(model: Model) -> bool:
    """Remove operations that no output depends on, and the positions of maxima that nobody reads.

    Ensures: every operation has an output that is read.
    """
    changed = sweep(model)
    outputs = set(model.outputs)
    for operation in model.operations:
        if operation.attributes.get("return_indices"):
            _, positions = operation.outputs
            if not positions.uses and positions not in outputs:
                operation.attributes = {**operation.attributes, "return_indices": False}
                operation.outputs = operation.outputs[:1]
                changed = True
    return changed
