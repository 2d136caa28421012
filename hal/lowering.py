"""Tables of lowerings: how a driver emits each operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from nnir.operator import Operator

Lowering = Callable[..., Any]


@dataclass
class Lowerings:
    """Lowerings by operator. A function takes the emitter, then the operator's own parameters."""

    entries: dict[Operator[Any], Lowering] = field(default_factory=dict)

    def lower(self, *operators: Operator[Any]) -> Callable[[Lowering], Lowering]:
        """Decorator: the function lowers `operators`."""

        def add(function: Lowering) -> Lowering:
            for operator in operators:
                if operator in self.entries:
                    raise ValueError(f"{operator.name} has two lowerings")
                self.entries[operator] = function
            return function

        return add

    def find(self, operator: Operator[Any]) -> Lowering | None:
        return self.entries.get(operator)

    @classmethod
    def merge(cls, tables: Iterable[Lowerings]) -> Lowerings:
        """One table of all; an operator that two of them lower is an error."""
        merged = cls()
        for table in tables:
            for operator, function in table.entries.items():
                merged.lower(operator)(function)
        return merged
