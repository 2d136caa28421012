"""Transposes move towards the outputs, where they meet their inverses.

Frameworks with channels last leave a pair of transposes around every convolution. Elementwise
operations, reductions, joins and the like do not care in which order the axes lie: they go before
the transpose, and two that meet become one or none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..broadcast import axis_of, ints
from ..dim import Expr
from ..model import Model, Operation, Value
from ..operator import Operator
from ..ops import activation, binary, compare, index, logic, reduce, shape, unary
from .rewrite import rewrite, sweep

Perm = tuple[int, ...]
ELEMENTWISE: frozenset[Operator] = frozenset(
    operator
    for family in (binary, compare, logic, unary)
    for operator in vars(family).values()
    if isinstance(operator, Operator) and operator is not binary.sum_
) | {
    *(activation.relu, activation.relu6, activation.sigmoid, activation.swish, activation.tanh),
    *(activation.leaky_relu, activation.gelu, activation.hard_sigmoid, activation.hard_swish),
    *(activation.softplus, activation.clip, activation.elu, activation.celu),
}
REDUCTIONS: frozenset[Operator] = frozenset(
    {
        *(reduce.reduce_mean, reduce.reduce_max, reduce.reduce_min, reduce.reduce_sum),
        *(reduce.reduce_prod, reduce.reduce_log_sum_exp),
    }
)
ALONG_AXIS: frozenset[Operator] = frozenset({activation.softmax, activation.log_softmax})


@rewrite(ensures=lambda model: True)
def sink_transposes(model: Model) -> bool:
    """Let transposes follow what does not care for the order of axes, and meet their inverses."""
    changed = False
    for operation in model.sorted():
        rule = _rule(operation.operator)
        model.origin = operation.origin
        made = None if rule is None else rule(operation)
        if made is not None:
            for old, new in zip(operation.outputs, made, strict=True):
                model.replace(old, new)
            changed = True
    model.origin = None
    return changed and (sweep(model) or changed)


def _rule(operator: Operator) -> Callable[[Operation], list[Value] | None] | None:
    if operator in ELEMENTWISE:
        return _elementwise
    if operator in REDUCTIONS:
        return _reduction
    if operator in ALONG_AXIS:
        return _along_axis
    return RULES.get(operator)


def order_of(value: Value | None) -> tuple[Value, Perm] | None:
    """What a value is a transpose of, and how."""
    made = None if value is None else value.producer
    if made is None or made.operator is not shape.transpose or made.inputs[0] is None:
        return None
    source = made.inputs[0]
    perm = made.attributes["perm"] or tuple(range(source.rank))[::-1]
    return source, tuple(axis_of(p, source.rank) for p in perm)


def turned(value: Value, perm: Perm) -> Value:
    """A transpose, where it is one."""
    if perm == tuple(range(len(perm))):
        return value
    result: Value = shape.transpose(value, perm=perm)
    return result


def inverse(perm: Perm) -> Perm:
    """The order that undoes `perm`."""
    return tuple(int(k) for k in np.argsort(perm))


def _transposed(operation: Operation) -> list[Value] | None:
    """Two transposes are one; one that moves only axes of size 1 is a reshape."""
    outer = order_of(operation.outputs[0])
    if outer is None:
        return None
    source, perm = outer
    inner = order_of(source)
    if inner is not None:
        first, before = inner
        return [turned(first, tuple(before[p] for p in perm))]
    return [source] if perm == tuple(range(len(perm))) else None


def _elementwise(operation: Operation) -> list[Value] | None:
    rank = operation.outputs[0].rank
    orders = [order_of(v) for v in operation.inputs]
    perms = {o[1] for o in orders if o is not None and len(o[1]) == rank}
    if len(perms) != 1:
        return None
    (perm,) = perms
    inputs: list[Value | None] = []
    for value, order in zip(operation.inputs, orders, strict=True):
        if order is not None and len(order[1]) == rank:
            inputs.append(order[0])
            continue
        inner = None if value is None else _in_order(value, perm)
        if inner is None and value is not None:
            return None
        inputs.append(inner)
    return [turned(operation.operator(*inputs, **operation.attributes), perm)]


def _in_order(value: Value, perm: Perm) -> Value | None:
    """An operand of an elementwise operation as it is before the transpose; None if that costs."""
    back = inverse(perm)
    if value.rank == 0:
        return value
    lead = len(perm) - value.rank
    if value.constant is not None:
        data = value.constant.reshape((1,) * lead + value.constant.shape)
        return value.model.constant(data.transpose(back), name=value.name)
    sizes = (1,) * lead + value.shape
    moved = [k for k in back if sizes[k] != 1]
    if moved != sorted(moved):
        return None
    wide = shape.unsqueeze(value, list(range(lead))) if lead else value
    return _rearranged(wide, back)


def _rearranged(value: Value, perm: Perm) -> Value:
    """A transpose that moves only axes of size 1, as a reshape where its target is known."""
    sizes = [value.shape[p] for p in perm]
    if sum(isinstance(s, Expr) for s in sizes) > 1 or 0 in sizes:
        return turned(value, perm)
    target = [-1 if isinstance(s, Expr) else s for s in sizes]
    result: Value = shape.reshape(value, target)
    return result


def _reduction(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    axes = ints(operation.inputs[1])
    if order is None or axes is None:
        return None
    source, perm = order
    reduced = sorted({axis_of(a, len(perm)) for a in axes} or range(len(perm)))
    inner = [perm[a] for a in reduced]
    result = operation.operator(source, inner, **operation.attributes)
    if operation.attributes["keepdim"]:
        return [turned(result, perm)]
    return [turned(result, _without([perm[a] for a in range(len(perm)) if a not in reduced]))]


def _without(axes: Sequence[int]) -> Perm:
    """The order of the axes that are left, counted anew."""
    kept = sorted(axes)
    return tuple(kept.index(a) for a in axes)


def _along_axis(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    if order is None:
        return None
    source, perm = order
    axis = perm[axis_of(operation.attributes["axis"], len(perm))]
    return [turned(operation.operator(source, **{**operation.attributes, "axis": axis}), perm)]


def _concat(operation: Operation) -> list[Value] | None:
    orders = [order_of(v) for v in operation.inputs]
    perms = {None if o is None else o[1] for o in orders}
    if len(perms) != 1 or None in perms:
        return None
    perm = next(o[1] for o in orders if o is not None)
    axis = perm[axis_of(operation.attributes["axis"], len(perm))]
    return [turned(shape.concat(*(o[0] for o in orders if o is not None), axis=axis), perm)]


def _split(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    if order is None:
        return None
    source, perm = order
    axis = perm[axis_of(operation.attributes["axis"], len(perm))]
    made = shape.split(source, operation.inputs[1], axis=axis)
    parts = made if isinstance(made, (list, tuple)) else [made]
    return [turned(v, perm) for v in parts]


def _pad(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    pads = ints(operation.inputs[1])
    if order is None or pads is None:
        return None
    source, perm = order
    pairs = np.array(pads).reshape(len(perm), 2)[list(inverse(perm))]
    made = shape.pad(source, pairs.reshape(-1), *operation.inputs[2:], **operation.attributes)
    return [turned(made, perm)]


def _slice(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    _, axes, *rest = operation.inputs
    if order is None or rest[0] is None:
        return None
    source, perm = order
    count = rest[0].shape[0] if rest[0].rank else 1
    named = ints(axes) if axes is not None else (None if isinstance(count, Expr) else range(count))
    if named is None:
        return None
    inner = [perm[axis_of(a, len(perm))] for a in named]
    return [turned(index.slice_(source, inner, *rest), perm)]


def _squeeze(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    axes = ints(operation.inputs[1])
    if order is None or axes is None:
        return None
    source, perm = order
    gone = {axis_of(a, len(perm)) for a in axes}
    made = shape.squeeze(source, sorted(perm[a] for a in gone))
    return [turned(made, _without([perm[a] for a in range(len(perm)) if a not in gone]))]


RULES: dict[Operator, Callable[[Operation], list[Value] | None]] = {
    shape.transpose: _transposed,
    shape.concat: _concat,
    shape.split: _split,
    shape.pad: _pad,
    shape.squeeze: _squeeze,
    index.slice_: _slice,
}
