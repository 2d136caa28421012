"""A TensorFlow graph as a flat source graph: calls inlined, variables read, arguments by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from nnir.errors import BadFile, BadModel, Unsupported
from nnir.records import dataclass

from ...source import Contents, Ref, SourceGraph, SourceModel, SourceNode, SourceValue, refs
from . import opdefs
from .dataflow import DATAFLOW, Budget, structure
from .hash_tables import TABLES, contents_of
from .nodes import Function, Node
from .tensors import FunctionName
from .variables import CALLS, GATHERS, ORDERED, READS, WRITES, Variable, Variables, Writers

HANDLES = frozenset({"VarHandleOp", "VariableV2", "Variable"})
DEEPEST = 60
SPECIAL = HANDLES | TABLES | WRITES | READS | CALLS | {"NoOp"}
"""What is more than a node that is emitted as it is."""

SPARE, REPEATS = 50_000, 16
"""Nodes that functions are flattened to: so many times those of the file, and `SPARE` more."""


Entry = str | Variable | Contents
Entries = list[Entry]


@dataclass
class Library:
    """Nodes of the main graph, functions, and what variables and tables hold."""

    nodes: dict[str, Node]
    functions: dict[str, Function] = field(default_factory=dict)
    variables: Mapping[str, np.ndarray] = field(default_factory=dict)
    tables: Mapping[str, Contents] = field(default_factory=dict)


class Flattener:
    """Emits the nodes that the wanted tensors need, producers first."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.graph = SourceGraph()
        self.variables = Variables(self.graph, library.variables)
        self.writers = Writers(library.functions)
        self.made: dict[str, Entries] = {}
        self.left = SPARE + REPEATS * len(library.nodes)
        self.called: set[str] = set()
        self.plain = library.nodes
        self.has_dataflow = _has_dataflow(library.nodes)
        self.expected: set[str] = set()
        self.budget = Budget()
        self.is_ordered = self.writers.among(library.nodes)

    def expect(self, names: Collection[str]) -> None:
        """Say which tensors will be wanted: their loops and conditionals become functions."""
        if self.has_dataflow:
            self.library.nodes = structure(
                self.plain, self.library.functions, names, self.made.keys(), self.budget
            )
            self.expected.update(names)

    def bind_input(self, name: str, value: SourceValue) -> None:
        """Let the node `name` stand for an input of the model."""
        self.made[name] = [value.name]
        self.graph.inputs.append(value)

    def tensor(self, name: str) -> Entry:
        """The entry of a tensor of the main graph, such as `dense/BiasAdd:0`."""
        node, _, position = name.partition(":")
        if node not in self.library.nodes and node not in self.made:
            raise BadModel(f"the graph has no node {node!r}")
        if name not in self.expected:
            self.expect([name])
        self._visit(node, self.library.nodes, self.made, "", self.graph, is_ordered=self.is_ordered)
        return _at(self.made[node], position, name)

    def name_of(self, entry: Entry) -> str:
        """The name of a tensor, or of what a variable or a table holds."""
        if isinstance(entry, Contents):  # what reads it knows the table itself
            self.graph.weights[entry.name] = entry.keys
            return entry.name
        return self.variables.read(entry) if isinstance(entry, Variable) else entry

    def finish(self, effects: Iterable[str] = ()) -> SourceModel:
        """The model of what was emitted; `effects` are nodes of the main graph that run beside."""
        nodes = self.library.nodes
        for root in (n for e in effects for n in self._ordered_before(nodes, e)):
            self._visit(root, nodes, self.made, "", self.graph, is_ordered=True)
        return SourceModel("tensorflow", self.graph, {"": 1}, states=self.variables.states())

    def _visit(
        self,
        root: str,
        nodes: Mapping[str, Node],
        made: dict[str, Entries],
        prefix: str,
        graph: SourceGraph,
        depth: int = 0,
        *,
        is_ordered: bool,
    ) -> None:
        """Emit a node and everything that it needs; iterative, as graphs are deep.

        `is_ordered`: some node writes a variable, so that control inputs count.
        """
        stack: list[tuple[str, Iterator[str]]] = []
        active: set[str] = set()

        def enter(name: str) -> None:
            if name not in nodes:
                raise BadModel(f"the graph has no node {name!r}")
            active.add(name)
            node = nodes[name]
            needed = node.inputs
            if is_ordered and node.controls:
                before = [n for c in node.controls for n in self._ordered_before(nodes, c)]
                needed = (*before, *needed)
            stack.append((name, map(_node_of, needed)))

        if root not in made:
            enter(root)
        while stack:
            name, needed = stack[-1]
            for following in needed:
                if following not in made:
                    break
            else:
                following = None
            if following is not None:
                if following in active:
                    raise BadModel(f"the graph has a cycle through {following!r}")
                enter(following)
                continue
            stack.pop()
            active.discard(name)
            made[name] = self._emit(nodes[name], nodes, made, prefix, graph, depth)

    def _ordered_before(self, nodes: Mapping[str, Node], root: str) -> list[str]:
        """The nodes whose place in the order counts and that a control input waits for: itself, or
        the nearest ones that it is computed from."""
        found: dict[str, None] = {}
        waiting, seen = [root], {root}
        while waiting:
            node = nodes.get(waiting.pop())
            if node is None:  # an input of the function
                continue
            if node.op in ORDERED or self.writers.among({node.name: node}):
                found[node.name] = None
                continue
            self._spend()
            read = {*node.controls, *map(_node_of, node.inputs)} - seen
            seen |= read
            waiting += sorted(read)
        return list(found)

    def _spend(self) -> None:
        """BadModel where a small graph takes too many steps."""
        self.left -= 1
        if self.left < 0:
            raise BadModel("functions that are called so often that the graph has no end")

    def _emit(
        self,
        node: Node,
        nodes: Mapping[str, Node],
        made: Mapping[str, Entries],
        prefix: str,
        graph: SourceGraph,
        depth: int,
    ) -> Entries:
        self._spend()
        inputs = [_input(i, nodes, made) for i in node.inputs]
        name = prefix + node.name
        if node.op not in SPECIAL:  # as most
            return self._node(node, inputs, name, graph, depth)
        if node.op in HANDLES:
            found = self.variables.open(node.name)
            return [found if node.op == "VarHandleOp" else found.name]
        if node.op in TABLES:
            return [contents_of(node, self.library.tables)]
        if node.op == "Identity" and inputs and isinstance(inputs[0], Contents):
            return [inputs[0]]
        if node.op in WRITES:
            if graph is not self.graph:
                raise Unsupported(f"{node.op} {name!r} writes a variable in a branch or a loop")
            if any(isinstance(i, Contents) for i in inputs):
                raise Unsupported(f"{node.op} {name!r} writes a table")
            self.variables.write(node, name, [i for i in inputs if not isinstance(i, Contents)])
            return []
        if node.op == "NoOp":
            return []
        if node.op in READS and inputs and isinstance(inputs[0], Variable):
            return [inputs[0] if node.op == "Identity" else self.variables.read(inputs[0])]
        if node.op in CALLS:
            return self._call(node.attributes.get("f"), inputs, name + "/", graph, depth + 1)
        return self._node(node, inputs, name, graph, depth)

    def _call(
        self, name: Any, inputs: Sequence[Entry], prefix: str, graph: SourceGraph, depth: int
    ) -> Entries:
        """The results of a function, its nodes emitted in place."""
        if depth > DEEPEST:
            raise BadModel(f"function {name!r} calls itself, or calls are {DEEPEST} deep")
        function = self.library.functions.get(str(name))
        if function is None:
            raise BadModel(f"the graph calls {name!r}, which it does not have")
        if function.name not in self.called:
            self.called.add(function.name)
            self.left += REPEATS * len(function.nodes)
        function = self._functional(function)
        is_ordered = self.writers.writes(function.name)
        made: dict[str, Entries] = {n: [e] for n, e in zip(function.inputs, inputs, strict=False)}
        if len(made) < len(function.inputs):
            raise BadModel(f"function {name!r} takes {len(function.inputs)}, not {len(inputs)}")
        results = []
        for output in function.outputs:
            wanted = function.results.get(output)
            if wanted is None:
                raise BadFile(f"function {name!r} does not say what its result {output!r} is")
            root = _node_of(wanted)
            self._visit(root, function.nodes, made, prefix, graph, depth, is_ordered=is_ordered)
            results.append(_input(wanted, function.nodes, made))
        for effect in function.effects if is_ordered else ():
            for root in self._ordered_before(function.nodes, effect):
                self._visit(root, function.nodes, made, prefix, graph, depth, is_ordered=True)
        return results

    def _functional(self, function: Function) -> Function:
        """A function without Switch, Merge and Enter."""
        if _has_dataflow(function.nodes):
            library, roots = self.library, list(function.results.values())
            nodes = structure(
                function.nodes, library.functions, roots, function.inputs, self.budget
            )
            kept = {n: v for n, v in nodes.items() if v.op not in DATAFLOW}
            function = library.functions[function.name] = replace(function, nodes=kept)
        return function

    def _node(
        self, node: Node, inputs: Sequence[Entry], name: str, graph: SourceGraph, depth: int
    ) -> Entries:
        op = node.op
        if inputs and isinstance(inputs[0], Variable) and op in GATHERS:
            op = GATHERS[op]
            inputs = [self.variables.read(inputs[0]), *inputs[1:]]
            if op == "GatherV2":
                zero = f"{name}/axis"
                graph.weights[zero] = np.zeros((), np.int32)
                inputs.append(zero)
        definition = opdefs.find(op)
        if definition is None:
            raise Unsupported(f"no converter for {op} (x1): TensorFlow itself does not have it")
        said = node.attributes.items()
        if op != node.op:  # the type of the variable is none of the operator's attributes
            said = {k: a for k, a in said if k in definition.defaults}.items()
        attributes = definition.stated | dict(said) if definition.counts else {}
        arguments = _arguments(definition.inputs, inputs, attributes, name)
        for key, value in said:
            kind = type(value)
            if kind is FunctionName:
                arguments[key] = self._sub_graph(value, arguments, depth + 1)
            elif kind is list and value and type(value[0]) is FunctionName:
                arguments[key] = [self._sub_graph(v, arguments, depth + 1) for v in value]
            elif not definition.leaves_out(key, value):
                arguments[key] = value
        total = sum([a.length(attributes) for a in definition.outputs])
        outputs = [name, *(f"{name}:{k}" for k in range(1, total))][:total]
        graph.nodes.append(SourceNode(op, refs(arguments), outputs, arguments, name))
        return list(outputs)

    def _sub_graph(
        self, function: FunctionName, arguments: Mapping[str, Any], depth: int
    ) -> SourceGraph:
        """A body or a branch. Variables among its inputs are read from outside."""
        found = self.library.functions.get(function)
        if found is None:
            raise BadModel(f"the graph calls {function!r}, which it does not have")
        given = arguments.get("input", [])
        graph = SourceGraph(str(function))
        inputs: Entries = []
        for position, name in enumerate(found.inputs):
            entry = given[position] if position < len(given) else None
            if isinstance(entry, (Variable, Contents)):
                inputs.append(entry)
            else:
                inputs.append(f"{function}/{name}")
            graph.inputs.append(SourceValue(f"{function}/{name}"))
        results = self._call(function, inputs, f"{function}/", graph, depth)
        for result in results:
            graph.outputs.append(SourceValue(self.name_of(result)))
        return graph


def _arguments(
    inputs: Sequence[opdefs.Argument],
    given: Sequence[Entry],
    attributes: Mapping[str, Any],
    name: str,
) -> dict[str, Any]:
    """Inputs by the names of the OpDef; one that stands for several is a list."""
    arguments: dict[str, Any] = {}
    position = 0
    for argument in inputs:
        count = argument.length(attributes)
        found = [Ref(e) if isinstance(e, str) else e for e in given[position:][:count]]
        if len(found) < count:
            raise BadModel(f"{name!r} has {len(given)} inputs, {argument.name!r} is missing")
        arguments[argument.name] = found if argument.count else found[0]
        position += count
    if position < len(given):
        raise BadModel(f"{name!r} has {len(given)} inputs, {position} are expected")
    return arguments


def _has_dataflow(nodes: Mapping[str, Node]) -> bool:
    return any(n.op in DATAFLOW for n in nodes.values())


def _node_of(tensor: str) -> str:
    return tensor.partition(":")[0]


def _input(name: str, nodes: Mapping[str, Node], made: Mapping[str, Entries]) -> Entry:
    """The entry of an input: `node`, `node:1`, or in functions `node:result:1`."""
    if ":" not in name and (entries := made[name]):  # as most
        return entries[0]
    node, *rest = name.split(":")
    if len(rest) < 2:
        return _at(made[node], rest[0] if rest else "", name)
    producer = nodes.get(node)
    definition = None if producer is None else opdefs.find(producer.op)
    if producer is None or definition is None:
        return _at(made[node], rest[1], name)
    start = 0
    attributes = {**definition.defaults, **producer.attributes}
    for output in definition.outputs:
        if output.name in ("", rest[0]):
            return _at(made[node], str(start + int(rest[1])), name)
        start += output.length(attributes)
    raise BadModel(f"{producer.op} {node!r} has no result {rest[0]!r}")


def _at(entries: Entries, position: str, name: str) -> Entry:
    if position and not position.isdecimal():
        raise BadModel(f"{name!r} is no tensor")
    place = int(position or 0)
    if place >= len(entries):
        raise BadModel(f"{name!r}: the node has {len(entries)} results")
    return entries[place]
