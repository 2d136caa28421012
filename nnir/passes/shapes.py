"""Shapes that the model computes although they are known, and changes of shape that change none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..broadcast import contents, ints
from ..dim import Dim, Expr, symbols_of
from ..model import Model, Operation, Value
from ..ops import index, shape
from .rewrite import rewrite, sweep, without

RESHAPES = (shape.reshape, shape.reshape_exact)
CHANGING = frozenset((*RESHAPES, shape.expand, shape.transpose, index.slice_))
"""The operators that are looked at."""


def _computes(operation: Operation) -> bool:
    """Whether a reshape has a target that is computed although a constant says the same."""
    target = operation.inputs[1]
    return target is not None and target.constant is None and _target(operation) is not None


@rewrite(ensures=without(shape.reshape, where=_computes))
def simplify_shapes(model: Model) -> bool:
    """Make the targets of RESHAPE and EXPAND constants, and remove what changes nothing.

    A size that is only known while running is written as the -1 or the 0 of RESHAPE where one of
    them says the same, and as the -1 of EXPAND where the input has it. Of two reshapes in a row the
    second is left.
    """
    changed = False
    for operation in model.sorted():
        if operation.operator not in CHANGING:
            continue
        source, output = operation.inputs[0] if operation.inputs else None, operation.outputs[0]
        if source is None:
            continue
        if _is_nothing(operation, source):
            model.replace(output, source)
            changed = True
        elif operation.operator in RESHAPES:
            changed |= _after_reshape(operation, source)
            changed |= _fix_target(model, operation)
        elif operation.operator is shape.expand:
            changed |= _fix_expand(model, operation, source)
    return changed and (sweep(model) or changed)


def _is_nothing(operation: Operation, source: Value) -> bool:
    """Whether the output is the input."""
    output = operation.outputs[0]
    if source.constant is not None or output.type != source.type:
        return False
    match operation.operator:
        case shape.reshape | shape.reshape_exact | shape.expand:
            return True
        case shape.transpose:
            perm = operation.attributes["perm"] or range(source.rank)[::-1]
            return [p % source.rank for p in perm] == list(range(source.rank))
        case index.slice_:
            return _is_whole(operation)
    return False


def _is_whole(operation: Operation) -> bool:
    """Whether a slice of the shape of its input begins at the start and goes forward."""
    _, _, starts, _, steps = (*operation.inputs, None, None, None, None)[:5]
    begins, forward = ints(starts), None if steps is None else ints(steps)
    if begins is None or (steps is not None and forward is None):
        return False
    return not any(begins) and set(forward or (1,)) == {1}


def _after_reshape(operation: Operation, source: Value) -> bool:
    """Read what an earlier reshape read; a 0 of RESHAPE would then copy another size."""
    earlier = source.producer
    target = ints(operation.inputs[1])
    if earlier is None or earlier.operator not in RESHAPES or target is None:
        return False
    first = earlier.inputs[0]
    if first is None or (operation.operator is shape.reshape and 0 in target):
        return False
    source.uses.pop(operation, None)
    operation.inputs = (first, *operation.inputs[1:])
    first.uses[operation] = None
    return True


def _fix_target(model: Model, operation: Operation) -> bool:
    target = operation.inputs[1]
    if target is None or target.constant is not None:
        return False
    fixed = _target(operation)
    if fixed is None:
        return False
    operation.operator = shape.reshape
    _replace_input(model, operation, 1, fixed)
    return True


def _target(operation: Operation) -> list[int] | None:
    """The target of a reshape with 0 for sizes of the input and at most one -1."""
    source, target = operation.inputs
    dims = contents(target)
    if source is None or dims is None or 0 in dims:
        return None
    fixed: list[int] = []
    for axis, size in enumerate(dims):
        if not isinstance(size, Expr):
            fixed.append(size)
        else:
            fixed.append(0 if axis < source.rank and source.shape[axis] == size else -1)
    if fixed.count(-1) > 1:
        return None
    return fixed if -1 not in fixed or -1 in dims or _is_filled(source.model, dims) else None


def _is_filled(model: Model, dims: Sequence[Dim]) -> bool:
    """Whether no size is 0: then one of them follows from the others."""
    names = {n for d in dims for n in symbols_of(d)}
    return all(_lowest(model, n) > 0 for n in names) and all(
        not isinstance(d, Expr) or all(factor > 0 for _, factor in d.terms) for d in dims
    )


def _lowest(model: Model, name: str) -> int:
    while name not in model.symbols and model.outer is not None:
        model = model.outer
    return model.symbols.get(name, (0, None))[0]


def _fix_expand(model: Model, operation: Operation, source: Value) -> bool:
    target = operation.inputs[1]
    dims = contents(target)
    if target is None or target.constant is not None or dims is None:
        return False
    own = (None,) * (len(dims) - source.rank) + source.shape
    fixed = [-1 if isinstance(d, Expr) and d == own[k] else d for k, d in enumerate(dims)]
    if any(isinstance(d, Expr) for d in fixed):
        return False
    _replace_input(model, operation, 1, [int(d) for d in fixed if not isinstance(d, Expr)])
    return True


def _replace_input(model: Model, operation: Operation, position: int, data: list[int]) -> None:
    old = operation.inputs[position]
    new = model.constant(np.array(data, np.int64))
    inputs = list(operation.inputs)
    inputs[position] = new
    if old is not None and old not in (v for k, v in enumerate(inputs) if k != position):
        old.uses.pop(operation, None)
    operation.inputs = tuple(inputs)
    new.uses[operation] = None
