"""Operators that a device cannot run whatever the sizes: said when a program is made."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from typing import TypeVar

from nnir.model import Model, Operation, Value
from nnir.ops import control, shape
from nnir.pairs import is_complex
from nnir.refusals import refusal_of

from .emission import require_lowered
from .lowering import Lowerings

R = TypeVar("R")


def require_operators(model: Model, lowerings: Lowerings[R]) -> None:
    """NoLowering that lists the operators of a model of open sizes without any way to run them.

    Programs of devices that compile for known sizes are otherwise only looked at when they are
    first called. What follows from the sizes alone is computed then, so that it needs no way.
    """
    if all(v.is_static for v in model.inputs):
        return  # it is compiled at once
    problems: Counter[str] = Counter()
    refusals = []
    for operation in _running(model, set(model.inputs)):
        operator = operation.operator
        ways = lowerings.ways_of(operator) or operator.decompositions
        if lowerings.find(operator) or ways or operation.models or is_complex(operation):
            continue
        why = f"{lowerings.device} has no lowering for {operator.name}"
        problems[why] += 1
        refusals.append(refusal_of(why, operation))
    require_lowered(problems, refusals=refusals)


def _running(model: Model, data: set[Value]) -> Iterator[Operation]:
    """The operations that read data, not only sizes, those of branches and loops included.

    `data` are the inputs that are, to which what is computed of them is added.
    """
    for operation in model.sorted():
        if operation.operator is shape.shape:
            continue
        reads = [v for v in operation.inputs if v is not None and v in data]
        if not reads:
            continue
        data.update(operation.outputs)
        if operation.operator is control.if_ and operation.inputs[0] not in data:
            continue  # sizes decide which branch is left
        yield operation
        for body in operation.models:
            yield from _running(body, _data_inside(body, operation, data))


def _data_inside(body: Model, operation: Operation, data: set[Value]) -> set[Value]:
    """The inputs of a branch or body that are data; sizes and counters of loops are none."""
    inside = {v for v, a in zip(body.inputs, operation.inputs[1:], strict=True) if a in data}
    carried = operation.attributes.get("carried", 0)
    while True:
        seen = set(inside)
        deque(_running(body, seen), maxlen=0)  # for what it adds to `seen`
        pairs = zip(body.inputs[:carried], body.outputs[1:], strict=False)
        more = {v for v, result in pairs if result in seen} - inside
        if not more:
            return inside
        inside |= more
