"""Variables of TFLite files: what a graph gives them once, and what a call leaves for the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from nnir.errors import BadFile, Unsupported
from nnir.state import NEXT
from nnir.stateful import zeros_of
from nnir.types import Precision, TensorType, precision_of

from ...source import SourceNode, SourceState, SourceValue
from .graphs import Tensor

Assignments = Callable[[int], Iterable[tuple[SourceNode, np.ndarray | None]]]
"""The operators of a graph by its number, each with the constant that it assigns."""


class Resources:
    """The values of variables by their names, once the graph that assigns them was met.

    A variable that the main graph writes is a state: what is read is the input of that name until
    it is written.
    """

    def __init__(self, assignments: Assignments) -> None:
        self.assignments = assignments
        self.values: dict[str, np.ndarray] = {}
        self.handles: dict[str, str] = {}
        self.written: set[str] = set()
        self.current: dict[str, str] = {}
        self.kept: dict[str, SourceValue] = {}

    def expect(self, nodes: Iterable[SourceNode]) -> None:
        """Note which variables the operators of the main graph write."""
        handles = {}
        for node in nodes:
            if node.op == "VAR_HANDLE":
                handles[node.outputs[0]] = _name_of(node)
            elif node.inputs[0] in handles:
                self.written.add(handles[node.inputs[0]])

    def read(self, node: SourceNode, depth: int) -> SourceNode | None:
        """A node as it stands, or with what it reads; None for one that does nothing by itself.

        `depth` is that of its graph: the main one has 0.
        """
        match node.op:
            case "VAR_HANDLE":
                self.handles[node.outputs[0]] = _name_of(node)
                return None
            case "CALL_ONCE":
                self._initialise(node.attributes.get("init_subgraph_index", 0))
                return None
            case "READ_VARIABLE":
                return self._read(node, self.handles.get(node.inputs[0], ""))
            case "ASSIGN_VARIABLE":
                if depth or node.inputs[0] not in self.handles:
                    raise Unsupported(
                        f"ASSIGN_VARIABLE of {node.inputs[0]!r} in a branch or a loop; the graph "
                        "that a file begins with may write variables"
                    )
                self.current[self.handles[node.inputs[0]]] = node.inputs[1]
                return None
        return node

    def states(self) -> list[SourceState]:
        """What the main graph keeps, once all of it was read."""
        found = []
        for name, read in self.kept.items():
            written = SourceValue(self.current[name], called=f"{name}{NEXT}")
            found.append(SourceState(name, read, written, self.values[name]))
        return found

    def name_of_state(self, node: SourceNode, depth: int) -> str | None:
        """What a node reads that reads a state; None for any other node."""
        name = self.handles.get(node.inputs[0], "") if node.op == "READ_VARIABLE" else ""
        if depth and name in self.written:
            raise Unsupported(f"READ_VARIABLE of {name!r}, which is written, in a branch or a loop")
        if name in self.written and name not in self.current:
            type = type_of(self._value(name))
            self.kept[name] = SourceValue(f"variable {name}", type, called=name)
            self.current[name] = self.kept[name].name
        return self.current.get(name)

    def keep(self, node: SourceNode, tensors: Sequence[Tensor]) -> None:
        """Let an operator give what the variable tensors among its operands become, behind its
        results. What LiteRT keeps as integers with a scale is kept as what they stand for."""
        for tensor in tensors:
            if tensor.name in self.kept:
                raise Unsupported(f"the variable {tensor.name!r} is of two operators")
            kind = Precision.FLOAT32 if tensor.is_quantized else tensor.precision
            zeros = zeros_of(TensorType(kind, tensor.sizes))
            self.kept[tensor.name] = SourceValue(tensor.name, type_of(zeros), called=tensor.called)
            self.values[tensor.name] = zeros
            self.current[tensor.name] = f"{tensor.name}{NEXT}"
            node.outputs = [*node.outputs, self.current[tensor.name]]

    def _read(self, node: SourceNode, name: str) -> SourceNode:
        """A node that gives what a variable always holds."""
        return SourceNode(node.op, [], node.outputs, {"value": self._value(name)}, node.name)

    def _value(self, name: str) -> np.ndarray:
        value = self.values.get(name)
        if value is None:
            raise Unsupported(f"the variable {name!r} is read, and nothing gives it a first value")
        return value

    def _initialise(self, number: int) -> None:
        """Note what a graph assigns to variables; it may do nothing else."""
        handles: dict[str, str] = {}
        for node, value in self.assignments(number):
            match node.op:
                case "VAR_HANDLE":
                    handles[node.outputs[0]] = _name_of(node)
                case "ASSIGN_VARIABLE":
                    if value is None or node.inputs[0] not in handles:
                        raise BadFile(f"nothing gives the variable {node.inputs[0]!r} its value")
                    self.values[handles[node.inputs[0]]] = value
                case other:
                    raise Unsupported(f"{other} in a graph that initialises variables")


def type_of(array: np.ndarray) -> TensorType:
    """The type of an array."""
    return TensorType(precision_of(array.dtype), array.shape)


def _name_of(node: SourceNode) -> str:
    return str(node.attributes.get("shared_name") or "")
