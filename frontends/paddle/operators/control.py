"""Paddle's control flow: conditionals and loops, whose regions see the values around them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nnir import build
from nnir.dim import Dim, Expr
from nnir.errors import BadModel, NNAdapterError, Unsupported
from nnir.model import Model, Value
from nnir.ops import control, generate, shape, unary
from nnir.records import dataclass
from nnir.types import Precision, TensorType

from ...loops import problems_of
from ...source import SourceGraph, SourceValue, read_places, restrict_outputs
from ...table import Items, Table
from ...translate import AlreadyNotedError, Broken, Translator, free_names
from ..reading.inplace import changed_names
from . import arrays
from .arrays import Array, Undefined

table = Table()
BODY = 10
"""A loop costs as much as so many plain nodes."""

ROUNDS = 8
"""How often a loop body is translated until the types of its state stay as they are."""

UNROLLED = 64
"""Loops of at most so many iterations are written out."""


def flag_of(condition: Value) -> Value:
    """A condition without axes."""
    flat = shape.reshape(condition, []) if condition.rank else condition
    return flat if flat.precision == Precision.BOOL8 else unary.cast(flat, dtype=Precision.BOOL8)


def tensors(entry: Any) -> tuple[Value, ...]:
    """The tensors that an entry consists of."""
    if isinstance(entry, Broken):
        raise AlreadyNotedError
    if isinstance(entry, Array):
        return entry.tensors()
    return (entry,) if isinstance(entry, Value) else ()


def like(entry: Any, values: Sequence[Value]) -> Any:
    """An entry of the same kind that consists of other tensors."""
    if isinstance(entry, Array):
        return entry.of(tuple(values))
    return values[0] if values else entry


@dataclass(frozen=True)
class Scope:
    """What regions read from outside: constants stay constants, tensors become inputs."""

    entries: Mapping[str, Any]

    @property
    def values(self) -> list[Value]:
        """What becomes an input, in order."""
        return [v for e in self.entries.values() for v in tensors(e) if v.known is None]

    def bind(self, model: Model) -> dict[str, Any]:
        """The same names in a sub-model, whose inputs grow."""

        def inner(name: str, value: Value) -> Value:
            known = value.known
            return model.input(name, value.type) if known is None else model.constant(known)

        return {n: like(e, [inner(n, v) for v in tensors(e)]) for n, e in self.entries.items()}


def outer(translator: Translator, graphs: Iterable[SourceGraph], without: Iterable[str]) -> Scope:
    """What graphs read of the current scope."""
    return Scope({n: e for n, e in translator.captured(graphs).items() if n not in set(without)})


def ending(graph: SourceGraph, names: Sequence[str]) -> SourceGraph:
    """A region that also gives what names from outside stand for at its end."""
    return replace(graph, outputs=[*graph.outputs, *map(SourceValue, names)])


def make_values(entries: Iterable[Any]) -> list[Value]:
    """The tensors of entries as values that a sub-model makes."""
    found = [v for entry in entries for v in tensors(entry)]
    return [unary.assign(v) if v.producer is None else v for v in found]


def take_results(entries: Iterable[Any], values: Any) -> list[Any]:
    """Entries of the same kinds of the results of an operator."""
    whole = iter(values if isinstance(values, (list, tuple)) else [values])
    return [like(entry, [next(whole) for _ in tensors(entry)]) for entry in entries]


@table.convert("if")
def if_(
    cond: Value, then: SourceGraph, otherwise: SourceGraph, *, translator: Translator
) -> tuple[Any, ...]:
    """An IF; what its regions write to comes out of it too."""
    count, names = len(then.outputs), changed_names([then, otherwise])
    if len(otherwise.outputs) != count:
        raise BadModel(f"an if whose regions give {count} and {len(otherwise.outputs)} values")
    graphs = [ending(g, names) for g in (then, otherwise)]
    known = translator.constant_of(cond)
    if known is not None:
        found = translator.inline(graphs[0] if known.reshape(-1)[0] else graphs[1], {})
    else:
        found = branch(translator, flag_of(cond), graphs)
    translator.scope.update(zip(names, found[count:], strict=True))
    return tuple(found[:count])


def branch(translator: Translator, flag: Value, graphs: Sequence[SourceGraph]) -> list[Any]:
    """Both regions as models of one IF."""
    scope = outer(translator, graphs, ())
    models, results = [], []
    for graph in graphs:
        model = Model(graph.name or "branch", translator.model)
        with translator.inside(model, scope.bind(model)):
            results.append(translator.inline(graph, {}))
        models.append(model)
    for side, model in enumerate(models):
        with translator.inside(model, {}):
            pairs = zip(results[side], results[1 - side], strict=True)
            results[side] = [alike(a, b, model) for a, b in pairs]
            model.outputs = make_values(results[side])
    if not models[0].outputs:
        return results[0]
    values = control.if_(flag, *scope.values, then_model=models[0], else_model=models[1])
    return take_results(results[0], values)


def alike(entry: Any, other: Any, model: Model) -> Any:
    """An array as one tensor, where the other side has another number of elements; something for
    what is only defined on the other side."""
    if isinstance(entry, Undefined) and isinstance(other, Value):
        return Undefined(other.type).begun(model)
    if not isinstance(entry, Array):
        return entry
    if isinstance(other, Array):
        kinds = [(a.rows is None, len(a.tensors())) for a in (entry, other)]
        if kinds[0] == kinds[1]:
            return entry
    if entry.is_empty or other.is_empty:
        raise Unsupported("regions that give an array with elements and one without any")
    return entry.stacked()


@table.convert("while")
def while_(
    cond: Value, inputs: Any, body: SourceGraph, *, translator: Translator
) -> tuple[Any, ...]:
    """A WHILE, or the iterations one by one where it is known that they are few."""
    names = changed_names([body])
    graph = ending(body, names)
    entries = [*inputs, *(translator.read(n) for n in names)]
    if len(graph.inputs) != len(inputs) or len(graph.outputs) != 1 + len(entries):
        raise BadModel(f"a while of {len(inputs)} values with {len(body.outputs)} results")
    trips = (
        None if names_decide(graph, names) else count_iterations(translator, cond, graph, inputs)
    )
    if trips is None:
        found = Loop(translator, graph, names, entries).converted(flag_of(cond))
    else:
        found = entries
        for _ in range(trips):
            translator.spend(BODY)
            found = translator.inline(graph, arguments(graph, found[: len(inputs)]))[1:]
            translator.scope.update(zip(names, found[len(inputs) :], strict=True))
    translator.scope.update(zip(names, found[len(inputs) :], strict=True))
    return tuple(found[: len(inputs)])


def arguments(graph: SourceGraph, inputs: Sequence[Any]) -> dict[str, Any]:
    """The inputs of a region by name."""
    return dict(zip([v.name for v in graph.inputs], inputs, strict=True))


def names_decide(graph: SourceGraph, names: Sequence[str]) -> bool:
    """Whether the condition depends on what the body writes to from outside."""
    if not names:
        return False
    step = restrict_outputs(graph, needed_outputs(graph))
    return any(n in names for n in free_names(step))


def needed_outputs(graph: SourceGraph) -> list[int]:
    """The outputs of a body on which its condition depends: the condition and some of the state."""
    places = [0]
    while True:
        found = {0} | {k + 1 for k in read_places(restrict_outputs(graph, places))}
        if found <= set(places):
            return places
        places = sorted(found | set(places))


def count_iterations(
    translator: Translator, cond: Value, graph: SourceGraph, inputs: Sequence[Any]
) -> int | None:
    """The number of iterations; None where only running tells, or where they are many."""
    known = translator.constant_of(cond)
    if known is None:
        return None
    places = needed_outputs(graph)
    step = restrict_outputs(graph, places)
    state = {k - 1: inputs[k - 1] for k in places[1:]}
    before = problems_of(translator)
    try:
        for trips in range(UNROLLED + 1):
            if not known.reshape(-1)[0]:
                return trips
            given = {graph.inputs[k].name: v for k, v in state.items()}
            flag, *rest = translator.inline(step, given)
            state = {k - 1: v for k, v in zip(places[1:], rest, strict=True)}
            known = translator.constant_of(flag)
            if known is None:
                return None
    except NNAdapterError:  # what is wrong is told where the loop itself is translated
        translator.errors, translator.problems = before
    return None


class Loop:
    """A loop whose number of iterations is only known while running, or is large."""

    def __init__(
        self,
        translator: Translator,
        graph: SourceGraph,
        names: Sequence[str],
        entries: Sequence[Any],
    ) -> None:
        self.translator = translator
        self.model = translator.model
        self.graph = graph
        self.names = names
        self.entries = [stood_for(e, self.model) for e in entries]
        self.types = [[v.type for v in tensors(e)] for e in self.entries]
        self.loose: set[Dim] = set()

    def converted(self, flag: Value) -> list[Any]:
        """What stands for the state at the end."""
        scope = outer(self.translator, [self.graph], self.names)
        for _ in range(ROUNDS):
            self.translator.spend(BODY)
            model, after = self._translate_body(scope)
            begun = [self._begins(k, entry) for k, entry in enumerate(after)]
            stays = [any(begun) or self._stays(k, entry) for k, entry in enumerate(after)]
            if all(stays) and not any(begun):
                break
        else:
            raise Unsupported("a loop whose state changes its shape in every iteration")
        state = [v for e in self.entries for v in tensors(e)]
        if not state:
            return self.entries
        given = (*state, *scope.values)
        return take_results(
            self.entries, control.while_(flag, *given, body=model, carried=len(state))
        )

    def _translate_body(self, scope: Scope) -> tuple[Model, list[Any]]:
        """The body as a model, and what it makes of the state."""
        translator, graph = self.translator, self.graph
        model = Model(graph.name or "body", self.model)
        before = [
            like(e, [model.input(f"state{k}", t) for t in types])
            for k, (e, types) in enumerate(zip(self.entries, self.types, strict=True))
        ]
        count = len(graph.inputs)
        bound = dict(zip(self.names, before[count:], strict=True))
        with translator.inside(model, scope.bind(model) | bound):
            flag, *after = translator.inline(graph, arguments(graph, before[:count]))
            after = [e.stacked() if isinstance(e, Array) else e for e in after]
            model.outputs = [unary.assign(flag_of(flag)), *make_values(after)]
        return model, after

    def _begins(self, place: int, after: Any) -> bool:
        """Whether an iteration writes to an array without elements; then it has none of a shape."""
        entry = self.entries[place]
        if not isinstance(entry, Array) or not entry.is_empty or not isinstance(after, Array):
            return False
        if after.rows is None:
            return False
        element = after.rows.type
        lengths = [0, *(self._outside(d) for d in element.shape[1:])]
        zero = self.model.constant(np.zeros((), element.precision.dtype))
        rows = generate.fill(build.vector(self.model, lengths), zero)
        self.entries[place], self.types[place] = Array(rows=rows), [rows.type]
        return True

    def _outside(self, size: Dim) -> build.Size:
        """A size that the body knows, in the model that the loop is in."""
        if not isinstance(size, Expr):
            return size
        state = [v for e in self.entries for v in tensors(e)]
        for tensor in (*state, *self.model.inputs):
            for axis, own in enumerate(tensor.shape):
                if own == size:
                    return build.size_of(tensor, axis)
        raise Unsupported(f"an array in a loop, of elements whose size {size} is only known inside")

    def _stays(self, place: int, after: Any) -> bool:
        """Whether a part of the state keeps its type; else a type that both fit is noted."""
        found, old = [v.type for v in tensors(after)], self.types[place]
        if type(after) is not type(self.entries[place]) or len(found) != len(old):
            raise Unsupported("a loop whose state becomes something of another kind")
        self.types[place] = [self._join_types(a, b) for a, b in zip(old, found, strict=True)]
        return self.types[place] == old

    def _join_types(self, old: TensorType, new: TensorType) -> TensorType:
        """Sizes that once differed are any from then on."""
        joined = control.join_types(self.model, old, new, "the state of a while")
        pairs = list(zip(old.shape, joined.shape, strict=True))
        dims = tuple(a if a in self.loose else b for a, b in pairs)
        self.loose.update(b for (a, _), b in zip(pairs, dims, strict=True) if a != b)
        return old.with_shape(dims)


def stood_for(entry: Any, model: Model) -> Any:
    """An array as one tensor, and something for what is not defined yet."""
    if isinstance(entry, Undefined):
        return entry.begun(model)
    return entry.stacked() if isinstance(entry, Array) else entry


@table.convert("assert")
def assert_(cond: Value, data: Items, summarize: int) -> tuple[()]:
    """What a program checks while running is not checked here, unless it is known to fail."""
    if cond.known is not None and not cond.known.all():
        raise BadModel("an assertion of the program that fails")
    return ()


@table.convert("print")
def print_(
    in_: Value,
    first_n: int,
    message: str,
    summarize: int,
    print_tensor_name: bool,
    print_tensor_type: bool,
    print_tensor_shape: bool,
    print_tensor_layout: bool,
    print_tensor_lod: bool,
    print_phase: str,
    is_forward: bool,
) -> Value:
    """Nothing is printed."""
    return in_


table = Table.merge([table, arrays.table])
