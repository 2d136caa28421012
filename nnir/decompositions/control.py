"""Loops of a known length written out, and branches that both run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..decomposition import Level
from ..errors import NotConstant, Unsupported
from ..model import Model, Value
from ..ops import binary, compare, control, index, shape
from ..specialise import fix_sizes

MOST_TRIPS = 1024
MOST_OPERATIONS = 20_000
"""So large a loop may become, with the loops in it."""

DIVISIONS = (binary.div, binary.floor_div, binary.mod)
TAKING = (index.gather, index.gather_elements, index.gather_nd)
PLACING = (index.scatter_elements, index.scatter_nd)


@control.if_.decomposes(level=Level.UNROLLED)
def _if(
    condition: Value, *inputs: Value, then_model: Model, else_model: Model
) -> Value | tuple[Value, ...]:
    """Both branches, of whose results WHERE takes one."""
    for branch in (then_model, else_model):
        _require_total(branch)
    ends = list(zip(then_model.outputs, else_model.outputs, strict=True))
    for a, b in ends:
        if a.shape != b.shape:
            raise Unsupported(f"branches that give {a.type} and {b.type}")
    model = condition.model
    both = zip(inline(model, then_model, inputs), inline(model, else_model, inputs), strict=True)
    chosen = shape.reshape(condition, [])
    return tuple(compare.where(chosen, a, b) for a, b in both)


@control.while_.decomposes(level=Level.UNROLLED)
def _while(
    condition: Value, *inputs: Value, body: Model, carried: int, trips: int | None
) -> Value | tuple[Value, ...]:
    """The body, once for every iteration."""
    if trips is None:
        raise NotConstant("a loop whose number of iterations the data tells")
    size = _written_out(body)
    if trips > MOST_TRIPS or trips * size > MOST_OPERATIONS:
        raise Unsupported(f"a loop of {trips} times {size} operations")
    model = condition.model
    state, fixed = list(inputs[:carried]), inputs[carried:]
    scans: list[list[Value]] = [[] for _ in body.outputs[1 + carried :]]
    for _ in range(trips):
        _, *results = inline(model, body, [*state, *fixed])
        state = results[:carried]
        for column, value in zip(scans, results[carried:], strict=True):
            column.append(value)
    if not trips and scans:
        raise Unsupported("a loop without iterations, whose results have no elements")
    return (*state, *(shape.stack(*column, axis=0) for column in scans))


def _written_out(model: Model) -> int:
    """How many operations a sub-model becomes when the loops in it are written out."""
    total = 0
    for operation in model.operations:
        times = operation.attributes.get("trips") or 1
        total += 1 + times * sum(map(_written_out, operation.models))
    return total


def _require_total(branch: Model) -> None:
    """Raises Unsupported for a branch that may fail on what only the other one is meant for."""
    for operation in branch.operations:
        operator, operands = operation.operator, operation.inputs
        second = operands[1] if len(operands) > 1 else None
        known = None if second is None else second.known
        divides = operator in DIVISIONS and second is not None and second.is_integer
        if divides and (known is None or not known.all()):
            raise Unsupported("a branch that may divide by 0 where it is not taken")
        if operator in (*TAKING, *PLACING) and known is None:
            raise Unsupported("a branch with positions that may lie outside where it is not taken")
        for inner in operation.models:
            _require_total(inner)


def inline(model: Model, inner: Model, inputs: Sequence[Value]) -> list[Value]:
    """The outputs of a sub-model whose operations become those of `model`."""
    known: dict[Value, Value] = dict(zip(inner.inputs, inputs, strict=True))

    def copy(value: Value) -> Value:
        if value not in known:
            constant = Value(model, value.type, value.name)
            constant.constant = value.constant
            known[value] = constant
        return known[value]

    for operation in inner.sorted():
        operands = tuple(None if v is None else copy(v) for v in operation.inputs)
        attributes = {n: _own(model, a) for n, a in operation.attributes.items()}
        outputs = model.append(operation.operator, operands, attributes)
        known.update(zip(operation.outputs, outputs, strict=True))
    return [copy(v) for v in inner.outputs]


def _own(model: Model, attribute: Any) -> Any:
    """A copy of a sub-model, as each of its readers may change."""
    if not isinstance(attribute, Model):
        return attribute
    copy = fix_sizes(attribute, {})
    copy.outer = model
    return copy
