"""Arithmetic that changes nothing, and axes that are added one by one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..broadcast import axis_of, ints
from ..model import Model, Operation, Value
from ..operator import Operator
from ..ops import binary, logic, shape, unary
from ..types import Fuse
from .rewrite import rewrite, sweep


def _zero(value: Value) -> bool:
    """Whether adding changes nothing: a float -0.0 would become 0.0."""
    return value.is_integer and _all(value, 0)


def _one(value: Value) -> bool:
    return _all(value, 1)


def _all(value: Value, number: int) -> bool:
    known = value.constant
    return known is not None and known.dtype.kind in "iufb" and bool((known == number).all())


def _never(value: Value) -> bool:
    return False


NEUTRAL: dict[Operator, tuple[Callable[[Value], bool], Callable[[Value], bool]]] = {
    binary.add: (_zero, _zero),
    binary.sub: (_never, _zero),
    binary.mul: (_one, _one),
    binary.div: (_never, _one),
    logic.and_: (_one, _one),
    logic.or_: (lambda v: _all(v, 0), lambda v: _all(v, 0)),
}
"""Which operand, left or right, leaves the other as it is."""


@rewrite(ensures=lambda model: all(_unchanged(o) is None for o in model.operations))
def remove_identities(model: Model) -> bool:
    """Remove x + 0 of integers, x * 1, x / 1, x and True, x or False and casts that are none, and
    add the axes of two UNSQUEEZE at once.

    Ensures: none of these is left where the result has the type of the operand.
    """
    changed = False
    for operation in model.sorted():
        kept = _unchanged(operation)
        if kept is not None:
            model.replace(operation.outputs[0], kept)
            changed = True
        elif operation.operator is shape.unsqueeze:
            changed |= _joined(model, operation)
    return changed and (sweep(model) or changed)


def _unchanged(operation: Operation) -> Value | None:
    """The operand that the result is equal to."""
    if operation.operator is unary.cast:
        (source,) = operation.inputs
        return _same(operation, source)
    neutral = NEUTRAL.get(operation.operator)
    if neutral is None or operation.attributes.get("fuse_code", Fuse.NONE) != Fuse.NONE:
        return None
    left, right = operation.inputs
    if left is None or right is None:
        return None
    if neutral[1](right):
        return _same(operation, left)
    return _same(operation, right) if neutral[0](left) else None


def _same(operation: Operation, source: Value | None) -> Value | None:
    is_same = source is not None and source.type == operation.outputs[0].type
    return source if is_same and source is not None and source.constant is None else None


def _joined(model: Model, operation: Operation) -> bool:
    """Let an UNSQUEEZE read what the one before it read."""
    source, axes = operation.inputs
    earlier = None if source is None else source.producer
    if source is None or earlier is None or earlier.operator is not shape.unsqueeze:
        return False
    first, before = earlier.inputs
    outer, inner = ints(axes), ints(before)
    if first is None or outer is None or inner is None:
        return False
    total = operation.outputs[0].rank
    added = {axis_of(a, total) for a in outer}
    kept = [k for k in range(total) if k not in added]
    added |= {kept[axis_of(a, source.rank)] for a in inner}
    new = model.constant(np.array(sorted(added), np.int64))
    source.uses.pop(operation, None)
    if axes is not None:
        axes.uses.pop(operation, None)
    operation.inputs = (first, new)
    first.uses[operation] = new.uses[operation] = None
    return True
