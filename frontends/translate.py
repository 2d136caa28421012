"""The translator: walks a source graph once and calls one converter per node."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from nnir.dim import symbols_of
from nnir.errors import VALUES, BadModel, NNAdapterError, Refusal, Unsupported, describe, summary
from nnir.folding import Folder
from nnir.legible import legible
from nnir.model import Model, Value
from nnir.progress import follow
from nnir.provenance import Place
from nnir.records import dataclass
from nnir.specialise import fix_sizes
from nnir.state import State
from nnir.stateful import fix_inputs

from .choices import apply_choices
from .compound import Compound
from .source import (
    NUMBER,
    SourceFunction,
    SourceGraph,
    SourceModel,
    SourceNode,
    SourceValue,
    refusal_of_node,
)
from .table import Converter, Items, Withheld

Entry = Value | Items | Compound | Withheld | None
MANY = 20
SPARE = 20_000
REPEATS = 16
"""Functions, loops and sequences repeat nodes: at most so often each, and `SPARE` more in all."""


class Broken:
    """Stands for the outputs of a node that could not be converted."""


BROKEN = Broken()


class AlreadyNotedError(NNAdapterError):
    """A node fails because of a sub-graph whose problems are noted."""


class TooLargeError(BadModel):
    """The whole translation ends, not the one node."""


class Finder(Protocol):
    """What finds the converter of an operator by its name and version."""

    def find(self, name: str, version: int) -> Converter | None:
        """None where there is none."""


class Preferring:
    """Finds converters in the first of two tables that has one."""

    def __init__(self, first: Finder, others: Finder) -> None:
        self.first, self.others = first, others

    def find(self, name: str, version: int) -> Converter | None:
        """None where there is none."""
        return self.first.find(name, version) or self.others.find(name, version)


def _require_ranks(graph: SourceGraph) -> None:
    """Unsupported with every input whose rank is not known."""
    values = [v for v in graph.inputs if v.type is None and v.unranked is not None]
    if names := [v.called or v.name for v in values]:
        shapes = " ".join(f"--shape {name}=..." for name in names)
        untyped = [v.called or v.name for v in values if v.is_untyped]
        types = f"; float32, or another type: --shape {untyped[0]}=int64[...]" if untyped else ""
        raise Unsupported(
            f"inputs of unknown rank: {', '.join(map(repr, names))}; give their shapes: "
            f"shapes={{{names[0]!r}: [...]}} ({shapes}){types}"
        )


@dataclass
class Dialect:
    """What the translator must know of a framework: its converters and how names find them."""

    name: str
    table: Finder
    domain_of: Callable[[str], str]

    def find(self, op: str, versions: Mapping[str, int]) -> Converter | None:
        return self.table.find(op, versions.get(self.domain_of(op), 0))


class Translator:
    """Translates one model; sub-graphs share its folder and its list of problems."""

    def __init__(self, dialect: Dialect, source: SourceModel) -> None:
        self.dialect = dialect
        self.source = source
        self.versions = source.versions
        self.model = Model(source.graph.name or "model")
        self.model.metadata.update(source.metadata)
        self.model.provenance.places = source.places
        self.model.provenance.properties = source.properties
        self.sources = self.model.provenance.operators
        self.model.symbols.update(source.dimensions)
        self.scope: dict[str, Entry | Broken] = {}
        self.problems: Counter[str] = Counter()
        self.errors: list[NNAdapterError] = []
        self.notes: dict[Value, Any] = {}
        """What one converter tells another of a value that it made."""

        self.depth = 0
        self._left = SPARE + REPEATS * sum(len(nodes) for nodes, _ in _all_graphs(source))
        self._folder = Folder()
        self._converters: dict[str, Converter] = {}

    def translate(self) -> Model:
        """The whole model, or one error that lists everything in the way."""
        missing = self._missing_converters()
        if missing is None:
            return self._translate()
        with contextlib.suppress(NNAdapterError):  # what else is in the way is listed beside it
            self._translate()
        known = {(r.why, r.node) for r in missing.refusals}
        others = [r for e in self.errors for r in e.refusals if (r.why, r.node) not in known]
        missing.refusals += tuple(others)
        raise missing

    def _translate(self) -> Model:
        graph, states = self.source.graph, self.source.states
        declared_types = [(v.called or v.name, v.type) for v in graph.inputs]
        self.model.provenance.inputs = {n: type.shape for n, type in declared_types if type}
        apply_choices(self.source)
        _require_ranks(graph)
        for declared in (*graph.inputs, *(s.read for s in states)):
            if declared.name not in graph.weights:  # an initializer that is declared is no input
                self._declare(declared)
        self._bind_weights(graph)
        self.run(graph.nodes)
        self._raise_problems()
        outputs = [*graph.outputs, *(s.written for s in states)]
        ends = [(o, *end) for o in outputs for end in self._ends(o)]
        self.model.outputs = [value for _, _, value in ends]
        self.model.output_names = [name for _, name, _ in ends]
        self.model.states = [State(legible(s.name), s.initial) for s in states]
        if self.source.fixed:
            fix_inputs(self.model, self.source.fixed, self.source.order)
        shapes = [o.type.shape if o.type else () for o, _, _ in ends]
        names = [name for name, _ in self.model.named_outputs()]
        self.model.provenance.outputs = dict(zip(names, shapes, strict=True))
        self.model.origin = None  # what passes make is of no node until it takes the place of one
        self._close_sizes()
        return self.model

    def _close_sizes(self) -> None:
        """Make numbers of the named sizes that operations need to be such."""
        told = self.model.provenance
        if sizes := {name: self.model.symbols[name][0] for name in told.closed}:
            self.model = fix_sizes(self.model, sizes)
            self.model.provenance = told

    def _declare(self, declared: SourceValue) -> None:
        """Make an input of the model."""
        if declared.type is None:
            raise Unsupported(f"input {declared.name!r} is a {declared.kind}, not a tensor")
        value = self.model.input(declared.called or declared.name, declared.type)
        value.is_number = declared.kind == NUMBER
        self.scope[declared.name] = value
        self._know_symbols(declared.type.shape)

    @contextmanager
    def inside(self, model: Model, scope: dict[str, Any]) -> Iterator[None]:
        """Translate into `model`, a sub-model, with `scope` for the names."""
        outer = self.model, self.scope
        self.model, self.scope = model, scope
        try:
            yield
        finally:
            self.model, self.scope = outer

    def inline(self, graph: SourceGraph, inputs: Mapping[str, Any]) -> list[Any]:
        """Translate a sub-graph into the current model; what its outputs stand for.

        The graph sees the names of the current scope, and `inputs` for its own inputs.
        """
        names = free_names(graph)
        scope = {n: self.scope[n] for n in names if n in self.scope} | dict(inputs)
        with self.inside(self.model, scope):
            self._bind_weights(graph)
            self.run(graph.nodes)
            found = [self.scope.get(o.name, BROKEN) for o in graph.outputs]
        for declared, entry in zip(graph.outputs, found, strict=True):
            if entry is BROKEN and not self.errors:
                raise BadModel(f"nothing produces the sub-graph's output {declared.name!r}")
        if BROKEN in found:
            raise AlreadyNotedError
        return found

    def captured(self, graphs: Iterable[SourceGraph]) -> dict[str, Any]:
        """What sub-graphs read of the current scope, by name."""
        names = dict.fromkeys(n for g in graphs for n in free_names(g))
        return {n: self.scope[n] for n in names if n in self.scope}

    def run(self, nodes: Sequence[SourceNode]) -> None:
        """Translate nodes into the current scope, reordering them when the source is unordered."""
        self.spend(len(nodes))
        self._run(nodes)

    def _run(self, nodes: Sequence[SourceNode]) -> None:
        scope = self.scope
        for position, node in enumerate(follow(nodes, "translating")):
            try:
                entries = [scope[n] if n else None for n in node.inputs]
            except KeyError:
                self._run(_sort_nodes(nodes[position:], scope))
                return
            if (
                node.attributes
                and SourceGraph in map(type, node.attributes.values())
                and any(n and n not in scope for n in _reads(node))
            ):
                self._run(_sort_nodes(nodes[position:], scope))
                return
            self._convert(node, entries)

    def spend(self, nodes: int) -> None:
        """BadModel when a small file would grow to a huge model."""
        self._left -= nodes
        if self._left < 0:
            raise TooLargeError("functions, loops or sequences repeat too many nodes")

    def constant_of(self, value: Value) -> np.ndarray | None:
        """The data of a value that can be computed now; see `nnir.folding`."""
        return self._folder.constant_of(value)

    def read(self, name: str) -> Entry:
        """What a name stands for; BadModel when nothing does."""
        entry = self.scope.get(name, BROKEN)
        if isinstance(entry, Broken):
            raise BadModel(f"nothing produces {name!r}")
        return entry

    def _convert(self, node: SourceNode, entries: Sequence[Any]) -> None:
        if BROKEN in entries:
            self.scope.update((n, BROKEN) for n in node.outputs if n)
            return
        label = node.name or node.label
        self.model.origin = label or None
        self.sources[label] = node.op
        try:
            results = self._call(node, entries)
        except TooLargeError:
            raise
        except AlreadyNotedError:
            results = [BROKEN] * len(node.outputs)
        except NNAdapterError as error:
            self._note(node, error)
            results = [BROKEN] * len(node.outputs)
        except VALUES as error:
            self._note(node, BadModel(f"{node.op} is not well formed: {describe(error)}"))
            results = [BROKEN] * len(node.outputs)
        except Exception as error:  # a bug of the converter, which is not to pass for a bad file
            error.add_note(f"in the converter of {self.dialect.name} node {node}")
            raise
        for name, result in zip(node.outputs, results, strict=False):
            if name:
                if name in self.scope:
                    raise BadModel(f"{name!r} is defined twice")
                self.scope[name] = result
                if isinstance(result, Value):
                    result.name_once(name)

    def _call(self, node: SourceNode, entries: Sequence[Any]) -> Sequence[Any]:
        converter = self._converters.get(node.op)
        if converter is None:
            function = self.source.functions.get(node.op)
            if function is not None:
                return self._expand(function, node, entries)
            converter = self.dialect.find(node.op, self.versions)
            if converter is None:
                raise Unsupported(f"no converter for {node.op}")
            self._converters[node.op] = converter
        result = self.bind(converter, node, entries)
        results = result if type(result) in (tuple, list) else (result,)
        if len(results) < len(node.outputs) and len(results) < sum(map(bool, node.outputs)):
            raise Unsupported(f"{node.op} with {len(node.outputs)} outputs")
        return results

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        """Bind the arguments of a node and convert it; frontends with other arguments override."""
        return converter(self, entries, node.attributes, len(node.outputs))

    def _expand(self, function: SourceFunction, node: SourceNode, entries: Sequence[Any]) -> Any:
        """Translate the body of a model-local function in a scope of its own."""
        if self.depth > 64:
            raise BadModel(f"function {function.name} calls itself")
        attributes = function.attributes | node.attributes
        inputs = list(entries) + [None] * (len(function.inputs) - len(entries))
        outer = self.scope, self.versions, self._converters, self.depth, self.model.origin
        self.scope = dict(zip(function.inputs, inputs, strict=False))
        self.versions, self._converters, self.depth = function.versions, {}, self.depth + 1
        try:
            self.run([_with_attributes(n, attributes) for n in function.nodes])
            return [self.scope.get(n, BROKEN) for n in function.outputs]
        finally:
            self.scope, self.versions, self._converters, self.depth, self.model.origin = outer

    def _note(self, node: SourceNode, error: NNAdapterError) -> None:
        if not error.refusals:
            error.refusals = (self._refusal(node, str(error)),)
        error.add_note(f"in {self.dialect.name} node {node}")
        self.problems[f"{type(error).__name__}: {error}"] += 1
        self.errors.append(error)

    def _raise_problems(self) -> None:
        if not self.errors:
            return
        if len(self.errors) == 1:
            raise self.errors[0]
        kinds = {type(e) for e in self.errors}
        kind = kinds.pop() if len(kinds) == 1 else Unsupported
        rows = [f"{text} (x{count})" for text, count in self.problems.most_common(MANY)]
        more = len(self.problems) - MANY
        tail = f"; and {more} more kinds" if more > 0 else ""
        error = kind(
            f"{len(self.errors)} nodes cannot be converted: {'; '.join(rows)}{tail}; "
            f"the first is {summary(self.errors[0])}"
        )
        error.refusals = tuple(r for e in self.errors for r in e.refusals)
        raise error

    def _refusal(self, node: SourceNode, why: str) -> Refusal:
        """Why a node is refused, with what it is there and where it was written."""
        kinds = [t.precision for t in node.types if t is not None]
        kinds += [v.precision for n in node.inputs if isinstance(v := self.scope.get(n), Value)]
        return refusal_of_node(node, why, kinds, self.source.places.get(node.label, Place()))

    def _missing_converters(self) -> Unsupported | None:
        """The error that lists the operators without a converter, where there are any."""
        nodes = []
        for graph, versions in _all_graphs(self.source):
            used = {n.op for n in graph} - self.source.functions.keys()
            lost = {op for op in used if not self.dialect.find(op, versions)}
            nodes += [node for node in graph if node.op in lost] if lost else []
        if not nodes:
            return None
        missing = Counter(node.op for node in nodes)
        rows = ", ".join(f"{op} (x{count})" for op, count in missing.most_common())
        error = Unsupported(
            f"no converter for {rows}; `nnadapter ops --frontend {self.dialect.name}` lists "
            "what is supported"
        )
        error.refusals = tuple(self._refusal(n, f"no converter for {n.op}") for n in nodes)
        return error

    def _bind_weights(self, graph: SourceGraph) -> None:
        for name, array in graph.weights.items():
            if name in self.scope:
                raise BadModel(f"{name!r} is defined twice")
            called = graph.called.get(name, name)
            self.scope[name] = self.model.constant(array, name=called)

    def _know_symbols(self, shape: Iterable[Any]) -> None:
        for d in shape:
            for name in symbols_of(d):
                self.model.symbols.setdefault(name, (0, None))

    def _ends(self, declared: SourceValue) -> list[tuple[str, Value]]:
        """The outputs of the model that an output of the source is, with their names."""
        entry = self.read(declared.name)
        if isinstance(entry, Withheld):
            raise Unsupported(f"an output that is {entry.what}")
        if not isinstance(entry, Value):
            raise Unsupported(f"output {declared.name!r} is no tensor")
        if entry.name is None:
            entry.name = declared.name
        return [(declared.called or declared.name, entry)]


def free_names(graph: SourceGraph) -> list[str]:
    """The names that a sub-graph reads and does not define, in order of use."""
    defined = {v.name for v in graph.inputs} | graph.weights.keys()
    defined.update(n for node in graph.nodes for n in node.outputs)
    found: dict[str, None] = {}
    for node in graph.nodes:
        found.update(dict.fromkeys(n for n in node.inputs if n and n not in defined))
        for inner in node.attributes.values():
            if isinstance(inner, SourceGraph):
                found.update(dict.fromkeys(n for n in free_names(inner) if n not in defined))
    found.update((o.name, None) for o in graph.outputs if o.name not in defined)
    return list(found)


def _with_attributes(node: SourceNode, attributes: Mapping[str, Any]) -> SourceNode:
    """A node of a function body with references to the function's attributes resolved."""
    bound = {}
    for name, value in node.attributes.items():
        if isinstance(value, Reference):
            if value.name not in attributes:
                continue  # not given at the call and no default: as if absent
            value = attributes[value.name]
        elif isinstance(value, SourceGraph):
            inner = [_with_attributes(n, attributes) for n in value.nodes]
            value = SourceGraph(value.name, inner, value.inputs, value.outputs, value.weights)
        bound[name] = value
    return SourceNode(node.op, node.inputs, node.outputs, bound, node.name)


@dataclass(frozen=True, slots=True)
class Reference:
    """An attribute of a function's node that takes the value of the function's own attribute."""

    name: str


def _all_graphs(source: SourceModel) -> Iterator[tuple[Sequence[SourceNode], Mapping[str, int]]]:
    """The nodes of each graph and function, those of sub-graphs on their own."""
    stack = [(source.graph.nodes, source.versions)]
    stack += [(f.nodes, f.versions) for f in source.functions.values()]
    while stack:
        nodes, versions = stack.pop()
        yield nodes, versions
        held = [a for n in nodes if n.attributes for a in n.attributes.values()]
        stack += [(a.nodes, versions) for a in held if isinstance(a, SourceGraph)]


def _reads(node: SourceNode) -> list[str]:
    """The names a node reads, those that its sub-graphs capture included."""
    if not node.attributes:
        return node.inputs
    graphs = [a for a in node.attributes.values() if isinstance(a, SourceGraph)]
    return node.inputs + [n for g in graphs for n in free_names(g)] if graphs else node.inputs


def _sort_nodes(nodes: Sequence[SourceNode], scope: Mapping[str, Any]) -> list[SourceNode]:
    """The nodes, producers first; BadModel for a cycle or an input that nothing produces."""
    made = {name: node for node in nodes for name in node.outputs if name}
    for node in nodes:
        for name in _reads(node):
            if name and name not in scope and name not in made:
                raise BadModel(f"nothing produces {name!r}, which {node} reads")
    order: list[SourceNode] = []
    state: dict[SourceNode, int] = {}
    for root in nodes:
        stack = [(root, False)]
        while stack:
            node, done = stack.pop()
            if done:
                state[node] = 2
                order.append(node)
            elif node not in state:
                state[node] = 1
                stack.append((node, True))
                for name in _reads(node):
                    producer = made.get(name)
                    if producer is None or name in scope:
                        continue
                    if state.get(producer) == 1:
                        raise BadModel(f"the graph has a cycle through {node}")
                    if producer not in state:
                        stack.append((producer, False))
    return order
