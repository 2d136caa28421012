"""A part of a model as a model of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .model import Model, Operation, Value


def extract(
    operations: Iterable[Operation], outputs: Sequence[Value], name: str = "part"
) -> tuple[Model, list[Value]]:
    """A model of some operations, and the values of the whole model that are its inputs.

    Constants are shared, not copied. Inputs are what the operations read and do not make, in the
    order in which it is read; `outputs` are values that they make. The operations are given in
    order of execution.
    """
    part = Model(name)
    known: dict[Value, Value] = {}
    inputs: list[Value] = []
    for operation in operations:
        _know_symbols(part, operation)
        for value in operation.inputs:
            if value is not None and value not in known:
                if value.constant is None:
                    inputs.append(value)
                known[value] = _copy(value, part, f"x{len(inputs) - 1}")
        _append(part, operation, known)
    part.inputs = [known[v] for v in inputs]
    part.outputs = [known[v] for v in outputs]
    return part, inputs


def _know_symbols(part: Model, operation: Operation) -> None:
    """Names of sizes keep their ranges."""
    for value in (*operation.inputs, *operation.outputs):
        if value is not None:
            part.symbols.update(value.model.symbols)
            return


def _copy(value: Value, part: Model, name: str | None = None) -> Value:
    copy = Value(part, value.type, value.name or (name if value.constant is None else None))
    copy.constant, copy.is_number = value.constant, value.is_number
    if value.constant is None and value.content is not None:
        copy.content = value.content
    return copy


def _append(part: Model, operation: Operation, known: dict[Value, Value]) -> None:
    inputs = tuple(None if v is None else known[v] for v in operation.inputs)
    attributes = dict(operation.attributes)
    copy = Operation(operation.operator, inputs, attributes, operation.origin)
    outputs = []
    for value in operation.outputs:
        made = _copy(value, part)
        made.producer, made.index = copy, value.index
        known[value] = made
        outputs.append(made)
    copy.outputs = tuple(outputs)
    for read in inputs:
        if read is not None:
            read.uses[copy] = None
    part.operations.append(copy)
