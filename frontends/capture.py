"""What sub-graphs read from the graph around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nnir.errors import Unsupported
from nnir.model import Model, Value


class Capture:
    """What a sub-graph reads from outside: constants stay constants, values become inputs."""

    def __init__(self, scope: Mapping[str, Any]) -> None:
        self.scope = scope
        self.values = {n: v for n, v in scope.items() if isinstance(v, Value) and v.known is None}

    def bind(self, model: Model) -> dict[str, Any]:
        """A scope for `model`, whose inputs grow by the captured values."""
        bound: dict[str, Any] = {}
        for name, entry in self.scope.items():
            if name in self.values:
                bound[name] = model.input(name, entry.type)
                bound[name].is_number = entry.is_number
            elif isinstance(entry, Value):
                bound[name] = model.constant(entry.known, name=name)
            elif entry is None:
                bound[name] = None
            else:
                raise Unsupported(f"a sub-graph that reads the sequence {name!r}")
        return bound
