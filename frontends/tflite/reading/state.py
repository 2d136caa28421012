"""Variables of TFLite files: what an initialising graph gives them is what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from nnir.errors import BadFile, Unsupported

from ...source import SourceNode

Assignments = Callable[[int], Iterable[tuple[SourceNode, np.ndarray | None]]]
"""The operators of a graph by its number, each with the constant that it assigns."""


class Resources:
    """The values of variables by their names, once the graph that assigns them was met."""

    def __init__(self, assignments: Assignments) -> None:
        self.assignments = assignments
        self.values: dict[str, np.ndarray] = {}
        self.handles: dict[str, str] = {}

    def read(self, node: SourceNode) -> SourceNode | None:
        """A node as it stands, or with the value of the variable that it reads."""
        match node.op:
            case "VAR_HANDLE":
                self.handles[node.outputs[0]] = str(node.attributes.get("shared_name") or "")
                return None
            case "CALL_ONCE":
                self._initialise(node.attributes.get("init_subgraph_index", 0))
                return None
            case "READ_VARIABLE":
                value = self.values.get(self.handles.get(node.inputs[0], ""))
                if value is None:
                    raise Unsupported(f"the variable {node.inputs[0]!r} has no known value")
                return SourceNode(node.op, [], node.outputs, {"value": value}, node.name)
            case "ASSIGN_VARIABLE":
                raise Unsupported(
                    f"ASSIGN_VARIABLE of {node.inputs[0]!r} writes a variable; convert the model "
                    "for inference"
                )
        return node

    def _initialise(self, number: int) -> None:
        """Note what a graph assigns to variables; it may do nothing else."""
        handles: dict[str, str] = {}
        for node, value in self.assignments(number):
            match node.op:
                case "VAR_HANDLE":
                    handles[node.outputs[0]] = str(node.attributes.get("shared_name") or "")
                case "ASSIGN_VARIABLE":
                    if value is None or node.inputs[0] not in handles:
                        raise BadFile(f"nothing gives the variable {node.inputs[0]!r} its value")
                    self.values[handles[node.inputs[0]]] = value
                case other:
                    raise Unsupported(f"{other} in a graph that initialises variables")
