"""Inverse transposes."""

from __future__ import annotations

from ..model import Model, Operation, Value
from ..ops import shape
from .rewrite import made_by, rewrite, sweep


def _perm(operation: Operation) -> tuple[int, ...]:
    value = operation.inputs[0]
    rank = 0 if value is None else value.rank
    return operation.attributes["perm"] or tuple(reversed(range(rank)))


def _composed(operation: Operation) -> tuple[Value, tuple[int, ...]] | None:
    """Source and permutation of a transpose of a transpose."""
    inner = made_by(operation.inputs[0], shape.transpose)
    if operation.operator is not shape.transpose or inner is None or inner.inputs[0] is None:
        return None
    first, second = _perm(inner), _perm(operation)
    return inner.inputs[0], tuple(first[k] for k in second)


def _is_short(model: Model) -> bool:
    return all(_composed(o) is None for o in model.operations)


@rewrite(ensures=_is_short)
def cancel_transposes(model: Model) -> bool:
    """Join a transpose of a transpose; a pair that undoes itself disappears.

    Ensures: no transpose reads a transpose.
    """
    modified = False
    for operation in model.sorted():
        found = _composed(operation)
        if found is None:
            continue
        source, perm = found
        is_same = perm == tuple(range(len(perm)))
        made = source if is_same else shape.transpose(source, perm=perm)
        model.replace(operation.outputs[0], made)
        modified = True
    return sweep(model) or modified
