"""What sub-graphs read from the graph around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nnir.errors import Unsupported
from nnir.model import Model, Value

from .compound import Compound
from .table import Items


class Capture:
    """What a sub-graph reads from outside: constants stay constants, values become inputs.

    `values` are those values by name; the tensors of a list count.
    """

    def __init__(self, scope: Mapping[str, Any]) -> None:
        self.scope = scope
        self.values: dict[str, Value] = {}
        for name, entry in scope.items():
            for key, value in _tensors_of(name, entry).items():
                if value.known is None:
                    self.values[key] = value

    def bind(self, model: Model) -> dict[str, Any]:
        """A scope for `model`, whose inputs grow by the captured values."""
        bound: dict[str, Any] = {}
        for name, entry in self.scope.items():
            inner = [self._bind(model, *pair) for pair in _tensors_of(name, entry).items()]
            if isinstance(entry, Value):
                bound[name] = inner[0]
                bound[name].is_number = entry.is_number
            elif isinstance(entry, Compound):
                bound[name] = entry.of(inner)
            elif isinstance(entry, Items) and len(inner) == len(entry):
                bound[name] = Items(inner) if entry else entry
            elif entry is None:
                bound[name] = None
            else:
                raise Unsupported(f"a sub-graph that reads {name!r}, which is no tensor")
        return bound

    def _bind(self, model: Model, name: str, value: Value) -> Value:
        if name in self.values:
            return model.input(name, value.type)
        return model.constant(value.known, name=name)


def _tensors_of(name: str, entry: Any) -> dict[str, Value]:
    """The tensors that an entry is, by names."""
    if isinstance(entry, Value):
        return {name: entry}
    parts = entry.tensors if isinstance(entry, Compound) else entry
    is_whole = isinstance(parts, tuple) and all(isinstance(v, Value) for v in parts)
    return {f"{name}.{k}": v for k, v in enumerate(parts)} if is_whole else {}
