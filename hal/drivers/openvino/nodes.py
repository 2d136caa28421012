"""Nodes of OpenVINO by name, in releases whose newest set of operators is not whole too."""

from __future__ import annotations

from types import ModuleType
from typing import Any

OPSETS = ("opset16", "opset15")
"""Newest first: that of OpenVINO 2025 has only what is new in it."""

ABSENT = "Couldn't create operation"


class NodeFactory:
    """Makes nodes of the newest set of operators that has them."""

    def __init__(self, runtime: ModuleType) -> None:
        self._factories: list[Any] = []
        if hasattr(runtime, "NodeFactory"):  # that which only writes
            self._factories.append(runtime.NodeFactory())
            return
        for name in OPSETS:
            try:
                self._factories.append(runtime.utils.node_factory.NodeFactory(name))
            except RuntimeError:  # a release of before this set
                continue

    def create(self, op: str, inputs: list[Any], attributes: dict[str, Any]) -> Any:
        """A node; RuntimeError where OpenVINO makes none of these."""
        *newer, oldest = self._factories
        for factory in newer:
            try:
                return factory.create(op, inputs, attributes)
            except RuntimeError as error:
                if ABSENT not in str(error):
                    raise
        return oldest.create(op, inputs, attributes)
