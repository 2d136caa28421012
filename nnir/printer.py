"""The readable text form of a model: `print(model)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, Protocol

import numpy as np

from .schema import Schema
from .state import State
from .types import TensorType

SMALL = 8


class Operand(Protocol):
    """What is printed of a value."""

    @property
    def name(self) -> str | None: ...
    @property
    def type(self) -> TensorType: ...
    @property
    def constant(self) -> np.ndarray | None: ...


class Step(Protocol):
    """What is printed of an operation."""

    @property
    def operator(self) -> Schema: ...
    @property
    def inputs(self) -> Sequence[Operand | None]: ...
    @property
    def outputs(self) -> Sequence[Operand]: ...
    @property
    def attributes(self) -> Mapping[str, Any]: ...
    @property
    def origin(self) -> str | None: ...


class Printed:
    """What has the text form of a model."""

    name: str
    inputs: Sequence[Operand]
    outputs: Sequence[Operand]
    symbols: dict[str, tuple[int, int | None]]
    states: Sequence[State]

    def sorted(self) -> Sequence[Step]:
        """The operations in order of execution."""
        raise NotImplementedError

    def __str__(self) -> str:
        """One line an operation: outputs, operator, operands, attributes, type and origin."""
        return "\n".join(_lines(self, ""))


def _lines(model: Printed, indent: str) -> Iterator[str]:
    names = Names()
    inputs = ", ".join(f"{names.of(v)}: {v.type}" for v in model.inputs)
    yield f"{indent}model {model.name}({inputs}) {{"
    if model.states:
        yield f"{indent}  keeps {', '.join(state.name for state in model.states)}"
    for name, (low, high) in model.symbols.items():
        if (low, high) != (0, None):
            yield f"{indent}  where {low} <= {name}" + ("" if high is None else f" <= {high}")
    for operation in model.sorted():
        yield f"{indent}  {_operation(operation, names)}"
        for key, inner in operation.attributes.items():
            if isinstance(inner, Printed):
                first, *rest = _lines(inner, indent + "    ")
                yield f"{indent}    {key} = {first.strip()}"
                yield from rest
    yield f"{indent}  return {', '.join(names.of(v) for v in model.outputs)}"
    yield f"{indent}}}"


class Names:
    """Names of values in one printed model: their own where they are unique, else numbers."""

    def __init__(self) -> None:
        self._given: dict[Operand, str] = {}
        self._taken: set[str] = set()

    def of(self, value: Operand) -> str:
        if value not in self._given:
            name = value.name or f"{len(self._given)}"
            while name in self._taken:
                name += "'"
            self._taken.add(name)
            self._given[value] = f"%{name}"
        return self._given[value]


def _operation(operation: Step, names: Names) -> str:
    operands = [_operand(v, names) for v in operation.inputs]
    operands += _attributes(operation)
    outputs = ", ".join(names.of(v) for v in operation.outputs)
    types = ", ".join(str(v.type) for v in operation.outputs)
    origin = f"  # {operation.origin}" if operation.origin else ""
    return f"{outputs} = {operation.operator.name}({', '.join(operands)}) : {types}{origin}"


def attributes_text(operation: Step) -> str:
    """The attributes of an operation that differ from their defaults, as they are printed."""
    return ", ".join(_attributes(operation))


def _attributes(operation: Step) -> list[str]:
    defaults = operation.operator.attributes
    return [
        f"{k}={attribute(v)}"
        for k, v in operation.attributes.items()
        if not isinstance(v, Printed) and v != defaults[k]
    ]


def _operand(value: Operand | None, names: Names) -> str:
    if value is None:
        return "none"
    if value.constant is None:
        return names.of(value)
    if value.constant.size <= SMALL:
        return f"{value.constant.tolist()}:{value.type.precision.name.lower()}"
    return f"{names.of(value)}:{value.type}"


def attribute(value: Any) -> str:
    """An attribute's value, codes by their names in the standard."""
    if isinstance(value, IntEnum):
        return value.name
    if isinstance(value, tuple):
        return f"[{', '.join(map(attribute, value))}]"
    return repr(value) if not isinstance(value, np.generic) else repr(value.item())
