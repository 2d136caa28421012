"""Variables of a TensorFlow graph: weights, and states where the graph writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nnir.errors import Unsupported
from nnir.records import dataclass
from nnir.state import NEXT
from nnir.types import TensorType, precision_of

from ...source import Ref, SourceGraph, SourceNode, SourceState, SourceValue
from .effects import functions_of
from .nodes import Function, Node

READS = frozenset({"ReadVariableOp", "Identity"})
GATHERS = {"ResourceGather": "GatherV2", "ResourceGatherNd": "GatherNd"}
CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
REFERENCES = frozenset({"Assign", "AssignAdd", "AssignSub"})
"""What writes variables that are no resources, as TensorFlow 1 has them."""

SUMS = {"AssignAddVariableOp": "AddV2", "AssignSubVariableOp": "Sub"}
ROWS = {
    "ResourceScatterUpdate": "TensorScatterUpdate",
    "ResourceScatterAdd": "TensorScatterAdd",
    "ResourceScatterSub": "TensorScatterSub",
    "ResourceScatterMax": "TensorScatterMax",
    "ResourceScatterMin": "TensorScatterMin",
}
PLACES = {
    "ResourceScatterNdUpdate": "TensorScatterUpdate",
    "ResourceScatterNdAdd": "TensorScatterAdd",
    "ResourceScatterNdSub": "TensorScatterSub",
    "ResourceScatterNdMax": "TensorScatterMax",
    "ResourceScatterNdMin": "TensorScatterMin",
}
WRITES = REFERENCES | SUMS.keys() | ROWS.keys() | PLACES.keys() | {"AssignVariableOp"}
ORDERED = WRITES | READS | GATHERS.keys() | CALLS | {"NoOp"}
"""What is done in the order that control inputs say, where variables are written."""


@dataclass(frozen=True, slots=True)
class Variable:
    """Stands for a variable, by the name of its handle."""

    name: str


class Variables:
    """What the variables of a graph hold while its nodes are emitted in order.

    `graph` is the flat main graph, which alone may write them.
    """

    def __init__(self, graph: SourceGraph, values: Mapping[str, np.ndarray]) -> None:
        self.graph = graph
        self.values = values
        self.current: dict[str, str] = {}
        self.initial: dict[str, np.ndarray] = {}

    def open(self, handle: str) -> Variable:
        """A variable by its handle; its value becomes a weight of the model."""
        if handle not in self.graph.weights and handle not in self.initial:
            value = self.values.get(handle)
            if value is None:
                raise Unsupported(f"the variable {handle!r} has no value in the checkpoint")
            self.graph.weights[handle] = value
        return Variable(handle)

    def read(self, variable: Variable) -> str:
        """The name of what it holds now."""
        return self.current.get(variable.name, variable.name)

    def write(self, node: Node, name: str, inputs: Sequence[str | Variable]) -> None:
        """Let a variable hold what an operator writes."""
        target, *given = inputs
        if not isinstance(target, Variable) or node.op in REFERENCES:
            raise Unsupported(f"{node.op} {name!r} writes a variable of TensorFlow 1")
        values = [self.read(v) if isinstance(v, Variable) else v for v in given]
        old = self.read(target)
        if target.name not in self.initial:
            self.initial[target.name] = self.graph.weights.pop(target.name)
        self.current[target.name] = self._written(node, name, old, values)

    def _written(self, node: Node, name: str, old: str, given: Sequence[str]) -> str:
        if node.op == "AssignVariableOp":
            return given[0]
        if node.op in SUMS:
            self._emit(SUMS[node.op], name, {"x": Ref(old), "y": Ref(given[0])})
            return name
        places, updates = given
        if node.op in ROWS:
            last = f"{name}/axis"
            self.graph.weights[last] = np.full((), -1, np.int32)
            self._emit("ExpandDims", f"{name}/rows", {"input": Ref(places), "dim": Ref(last)})
            places = f"{name}/rows"
        changed = {"tensor": Ref(old), "indices": Ref(places), "updates": Ref(updates)}
        self._emit({**ROWS, **PLACES}[node.op], name, changed)
        return name

    def _emit(self, op: str, name: str, arguments: dict[str, Ref]) -> None:
        inputs = [str(ref) for ref in arguments.values()]
        self.graph.nodes.append(SourceNode(op, inputs, [name], {**arguments}, name))

    def states(self) -> list[SourceState]:
        """The variables that were written."""
        found = []
        for handle, value in self.initial.items():
            type = TensorType(precision_of(value.dtype), value.shape)
            written = SourceValue(self.current[handle], called=f"{handle}{NEXT}")
            found.append(SourceState(handle, SourceValue(handle, type), written, value))
        return found


class Writers:
    """Which functions of a library write variables."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self.functions = functions
        self._known: dict[str, tuple[bool, list[str]]] = {}

    def among(self, nodes: Mapping[str, Node]) -> bool:
        """Whether some of the nodes write a variable, or call what does."""
        is_one, called = _look_at(nodes)
        return is_one or any(map(self.writes, called))

    def writes(self, name: str) -> bool:
        """Whether a function does."""
        seen, waiting = {name}, [name]
        while waiting:
            is_one, called = self._about(waiting.pop())
            if is_one:
                return True
            waiting += [n for n in called if n not in seen]
            seen.update(called)
        return False

    def _about(self, name: str) -> tuple[bool, list[str]]:
        if name not in self._known:
            function = self.functions.get(name)
            self._known[name] = (False, []) if function is None else _look_at(function.nodes)
        return self._known[name]


def _look_at(nodes: Mapping[str, Node]) -> tuple[bool, list[str]]:
    """Whether one of the nodes itself writes a variable, and the functions that they call."""
    called = dict.fromkeys(name for node in nodes.values() for name in functions_of(node))
    return any(node.op in WRITES for node in nodes.values()), list(called)
