"""An operation whose sizes are not known yet, with numbers in their place."""

from __future__ import annotations

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Model, Operation, Value

GUESS = 8
"""The size that stands for one that is not known when an operation is asked about."""


def with_guessed_sizes(operation: Operation) -> Operation:
    """The same operation with a number for every size."""
    model = Model()
    values: list[Value | None] = []
    for value in operation.inputs:
        if value is None or value.constant is not None:
            values.append(value)
            continue
        sizes = tuple(GUESS if isinstance(d, Expr) else d for d in value.shape)
        values.append(model.input(value.name or "x", value.type.with_shape(sizes)))
    made = model.append(operation.operator, tuple(values), operation.attributes)
    producer = made[0].producer
    if producer is None:
        raise NoLowering("an operation without results")
    return producer
