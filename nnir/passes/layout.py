"""Transposes move towards the outputs, where they meet their inverses.

Frameworks with channels last leave a pair of transposes around every convolution. Elementwise
operations, reductions, joins and the like do not care in which order the axes lie: they go before
the transpose, and two that meet become one or none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..broadcast import axis_of, ints
from ..dim import Expr
from ..model import Model, Operation, Value
from ..operator import Operator
from ..ops import activation, binary, compare, index, logic, norm, quant, reduce, shape, unary
from . import layout_shapes
from .orders import (
    Perm,
    inverse,
    keeps_order,
    move_ones,
    order_of,
    perm_of,
    repeat,
    transpose_by,
    without,
)
from .rewrite import rewrite, sweep

ELEMENTWISE: frozenset[Operator[Any]] = frozenset(
    operator
    for family in (binary, compare, logic, unary)
    for operator in vars(family).values()
    if isinstance(operator, Operator) and operator is not binary.sum_
) | {
    *(activation.relu, activation.relu6, activation.sigmoid, activation.swish, activation.tanh),
    *(activation.leaky_relu, activation.gelu, activation.hard_sigmoid, activation.hard_swish),
    *(activation.softplus, activation.elu, activation.celu),
}


REDUCTIONS: frozenset[Operator[Any]] = frozenset(
    {
        *(reduce.reduce_mean, reduce.reduce_max, reduce.reduce_min, reduce.reduce_sum),
        *(reduce.reduce_prod, reduce.reduce_log_sum_exp),
    }
)


ALONG_AXIS: frozenset[Operator[Any]] = frozenset(
    {
        *(activation.softmax, activation.log_softmax, activation.hardmax),
        *(norm.lp_normalization, quant.quantize_linear, quant.dequantize_linear),
    }
)
"""What works along one axis; further operands have no axes of the first."""


ROUNDS = 4
"""Two transposes that become one may make way for another rule."""


@rewrite(ensures=lambda model: True)
def sink_transposes(model: Model) -> bool:
    """Let transposes follow what does not care for the order of axes, and meet their inverses."""
    changed = False
    for _ in range(ROUNDS):
        if not _sunk(model):
            break
        changed = True
    return changed


def _sunk(model: Model) -> bool:
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


def _rule(operator: Operator[Any]) -> Callable[[Operation], list[Value] | None] | None:
    if operator in ELEMENTWISE:
        return _elementwise
    if operator in REDUCTIONS:
        return _reduction
    if operator in ALONG_AXIS:
        return _along_axis
    return RULES.get(operator)


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
    return [transpose_by(v, perm) for v in repeat(operation, tuple(inputs))]


def _in_order(value: Value, perm: Perm) -> Value | None:
    """An operand of an elementwise operation as it is before the transpose; None if that costs."""
    back = inverse(perm)
    if value.rank == 0:
        return value
    lead = len(perm) - value.rank
    if value.constant is not None:
        data = value.constant.reshape((1,) * lead + value.constant.shape)
        return value.model.constant(data.transpose(back), name=value.name)
    if not keeps_order((1,) * lead + value.shape, back):
        return None
    wide = shape.unsqueeze(value, list(range(lead))) if lead else value
    return move_ones(wide, back)


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
        return [transpose_by(result, perm)]
    return [transpose_by(result, without([perm[a] for a in range(len(perm)) if a not in reduced]))]


def _along_axis(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    if order is None or operation.attributes.get("block_size"):
        return None
    source, perm = order
    axis = perm[axis_of(operation.attributes["axis"], len(perm))]
    made = repeat(operation, (source, *operation.inputs[1:]), axis=axis)
    return [transpose_by(v, perm) for v in made]


def _running(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    axis = ints(operation.inputs[1])
    if order is None or axis is None:
        return None
    source, perm = order
    inner = perm[axis_of(axis[0], len(perm))]
    return [transpose_by(operation.operator(source, inner, **operation.attributes), perm)]


def _clip(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    if order is None:
        return None
    return [transpose_by(activation.clip(order[0], *operation.inputs[1:]), order[1])]


def _arg(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    if order is None:
        return None
    source, perm = order
    place = axis_of(operation.attributes["axis"], len(perm))
    result = operation.operator(source, **{**operation.attributes, "axis": perm[place]})
    if operation.attributes["keepdim"]:
        return [transpose_by(result, perm)]
    return [transpose_by(result, without([p for a, p in enumerate(perm) if a != place]))]


def _gather(operation: Operation) -> list[Value] | None:
    order = order_of(operation.inputs[0])
    indices = operation.inputs[1]
    if order is None or indices is None or indices.rank > 1:
        return None
    source, perm = order
    place = axis_of(operation.attributes["axis"], len(perm))
    result = index.gather(source, indices, axis=perm[place])
    if indices.rank:
        return [transpose_by(result, perm)]
    return [transpose_by(result, without([p for a, p in enumerate(perm) if a != place]))]


def _sizes(operation: Operation) -> list[Value] | None:
    """The sizes of a transpose are those of its operand in another order."""
    order = order_of(operation.inputs[0])
    if order is None:
        return None
    return [index.gather(shape.shape(order[0], **operation.attributes), list(order[1]))]


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
    return [transpose_by(index.slice_(source, inner, *rest), perm)]


def _transpose(operation: Operation) -> list[Value] | None:
    """Two become one; quantised constants are stored in the order in which they are read."""
    (source,) = operation.inputs
    producer = None if source is None else source.producer
    if producer is None or producer.operator is not quant.dequantize_linear:
        return layout_shapes.sink_transpose(operation)
    stored, *scaled = producer.inputs
    given = producer.attributes
    if stored is None or stored.constant is None or given["block_size"]:
        return None
    perm = perm_of(operation)
    data = stored.model.constant(stored.constant.transpose(perm), name=stored.name)
    axis = perm.index(axis_of(given["axis"], len(perm)))
    return [quant.dequantize_linear(data, *scaled, **{**given, "axis": axis})]


RULES: dict[Operator[Any], Callable[[Operation], list[Value] | None]] = {
    **layout_shapes.RULES,
    activation.clip: _clip,
    index.gather: _gather,
    index.slice_: _slice,
    reduce.arg_max: _arg,
    reduce.arg_min: _arg,
    reduce.cum_prod: _running,
    reduce.cum_sum: _running,
    shape.shape: _sizes,
    shape.transpose: _transpose,
}
