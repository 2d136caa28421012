"""Nodes of OpenVINO by name, of the set of operators that every release has which we run on."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from nnir.formats.openvino import NoRule

OPSETS = ("opset15", "opset16")
"""Oldest first, so that every release reads what is written; new operators are of the newer."""

ABSENT = "Couldn't create operation"


class NodeFactory:
    """Makes nodes of the oldest set of operators that has them.

    `unknown` are those that OpenVINO may have, but not what stands for it (`NoRule`).
    """

    def __init__(self, runtime: ModuleType) -> None:
        self._factories: list[Any] = []
        self.unknown: set[str] = set()
        for name in OPSETS:
            try:
                self._factories.append(runtime.utils.node_factory.NodeFactory(name))
            except RuntimeError:  # a release of before this set
                continue

    def create(self, op: str, inputs: list[Any], attributes: dict[str, Any]) -> Any:
        """A node; RuntimeError where OpenVINO makes none of these."""
        try:
            return self._create(op, inputs, attributes)
        except NoRule:
            self.unknown.add(op)
            raise

    def _create(self, op: str, inputs: list[Any], attributes: dict[str, Any]) -> Any:
        *older, newest = self._factories
        for factory in older:
            try:
                return factory.create(op, inputs, attributes)
            except RuntimeError as error:
                if ABSENT not in str(error):
                    raise
        return newest.create(op, inputs, attributes)
