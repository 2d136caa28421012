"""A model as the graph that a page draws: nodes, tensors, and modules in modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import field

from nnir.model import Model, Operation, Value
from nnir.records import dataclass

from .scopes import Scope, scopes

ROOT = 0
INPUT, OUTPUT = "input", "output"
SHARE = 0.1
"""So many lines, for each node, may come into a module from what runs behind its beginning."""


@dataclass(slots=True)
class Node:
    """An operation, or an end of a model (`kind`); `reads` and `makes` are numbers of tensors."""

    kind: str
    name: str
    module: int
    operation: Operation | None = None
    reads: list[int] = field(default_factory=list)
    makes: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Module:
    """Nodes that belong together, in the module `parent`; the first one holds everything."""

    name: str
    parent: int


class Graph:
    """Nodes in order of execution; a module comes before those inside it."""

    def __init__(self, model: Model) -> None:
        self.nodes: list[Node] = []
        self.modules: list[Module] = [Module(model.name, ROOT)]
        self.tensors: dict[Value, int] = {}
        self.producers: list[int] = []
        self._paths: dict[tuple[int, Scope], int] = {}
        self._add_model(model, ROOT)
        self._merge_lonely()

    def links(self) -> Iterable[tuple[int, int]]:
        """Pairs of nodes, of which the second reads what the first makes; each once."""
        seen: dict[tuple[int, int], None] = {}
        for place, node in enumerate(self.nodes):
            for tensor in node.reads:
                if tensor >= 0 and (producer := self.producers[tensor]) >= 0:
                    seen[producer, place] = None
        return seen

    def _add_model(self, model: Model, around: int, given: list[int] | None = None) -> None:
        """The nodes of a model; `given`: the tensors that a sub-model gets, else it has inputs."""
        for place, value in enumerate(model.inputs):
            node = Node(INPUT, value.name or INPUT, around)
            node.reads = [] if given is None or place >= len(given) else [given[place]]
            self._add(node, [value])
        modules = scopes(model)
        for operation in model.sorted():
            module = self._module(around, modules[operation])
            node = Node(operation.operator.name, operation.label, module, operation)
            node.reads = [-1 if v is None else self._tensor(v) for v in operation.inputs]
            self._add(node, operation.outputs)
            self._add_inner(operation, node, module)
        for name, value in model.named_outputs():
            node = Node(OUTPUT, name, around, reads=[self._tensor(value)])
            self._add(node, ())

    def _add_inner(self, operation: Operation, node: Node, module: int) -> None:
        """Sub-models are modules behind their operation."""
        for key, inner in operation.attributes.items():
            if isinstance(inner, Model):
                name = f"{operation.label}: {key}"
                self.modules.append(Module(name, module))
                self._add_model(inner, len(self.modules) - 1, node.makes[:1] * len(inner.inputs))

    def _add(self, node: Node, made: Iterable[Value]) -> None:
        place = len(self.nodes)
        self.nodes.append(node)
        for value in made:
            number = self._tensor(value)
            self.producers[number] = place
            node.makes.append(number)

    def _tensor(self, value: Value) -> int:
        """The number of a tensor; a weight has no producer."""
        if value not in self.tensors:
            self.tensors[value] = len(self.producers)
            self.producers.append(-1)
        return self.tensors[value]

    def _module(self, around: int, scope: Scope) -> int:
        found = around
        for depth in range(1, len(scope) + 1):
            key = (around, scope[:depth])
            if key not in self._paths:
                self.modules.append(Module(scope[depth - 1], found))
                self._paths[key] = len(self.modules) - 1
            found = self._paths[key]
        return found

    def _find_scattered(self) -> set[int]:
        """Modules only by name, such as a class of layers: what they read often comes behind them.

        A module that is called twice, or runs in another order than it is written, may stay.
        """
        first = self._first_places()
        sizes, late = Counter[int](), Counter[int]()
        for node in self.nodes:
            sizes.update(self._around(node.module))
        for source, target in self.links():
            outside = set(self._around(self.nodes[source].module))
            inside = (m for m in self._around(self.nodes[target].module) if m not in outside)
            late.update(m for m in inside if first[m] < source)
        return {m for m, count in late.items() if count > sizes[m] * SHARE}

    def _first_places(self) -> dict[int, int]:
        first: dict[int, int] = {}
        for place, node in enumerate(self.nodes):
            for module in self._around(node.module):
                first.setdefault(module, place)
        return first

    def _around(self, module: int) -> list[int]:
        """A module and those around it, but not the one that holds everything."""
        found = []
        while module != ROOT:
            found.append(module)
            module = self.modules[module].parent
        return found

    def _merge_lonely(self) -> None:
        """A module that holds one thing is that thing, which takes its name."""
        counts = [0] * len(self.modules)
        for node in self.nodes:
            counts[node.module] += 1
        for module in self.modules[1:]:
            counts[module.parent] += 1
        scattered = self._find_scattered()
        kept = [k == ROOT or (counts[k] > 1 and k not in scattered) for k in range(len(counts))]
        numbers: dict[int, int] = {}
        names: dict[int, str] = {}
        modules: list[Module] = []
        for place, module in enumerate(self.modules):
            prefix = names.get(module.parent, "") if place != ROOT else ""
            name = f"{prefix}.{module.name}" if prefix else module.name
            if kept[place]:
                numbers[place] = len(modules)
                parent = numbers[module.parent] if place != ROOT else ROOT
                modules.append(Module(name, parent))
            else:
                numbers[place] = numbers[module.parent]
                names[place] = prefix if place in scattered else name
        for node in self.nodes:
            if prefix := names.get(node.module, ""):
                node.name = f"{prefix}: {node.name}" if node.operation is None else prefix
            node.module = numbers[node.module]
        self.modules = modules
