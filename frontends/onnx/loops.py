"""Loops of unknown length that carry tensors, sequences and optionals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nnir.dim import Dim
from nnir.errors import Unsupported
from nnir.iterations import count_iterations
from nnir.model import Model, Value
from nnir.ops import control, shape
from nnir.types import TensorType

from ..capture import Capture
from ..compound import Compound, unify
from ..loop_state import fresh, inline, like, tensors_of
from ..loops import BODY, ROUNDS
from ..source import SourceGraph
from ..translate import Translator

COUNT = "number of iterations"


class Iteration(NamedTuple):
    """What one iteration gives: whether there is another, the state, and slices of results."""

    go: Value
    state: Sequence[Any]
    slices: Sequence[Value] = ()


Step = Callable[[dict[str, Any], list[Any]], Iteration]
"""One iteration: of the scope of the body and the state before it."""


def repeat(
    translator: Translator, go: Value, state: Sequence[Any], capture: Capture, step: Step
) -> list[Any]:
    """The state after the last iteration, and the slices stacked; `go`: whether there is a first.

    The body is translated until the types of the state, and what is known of its sequences, stay
    as they are.
    """
    loop = _Loop(translator, list(state), capture, step)
    for _ in range(ROUNDS):
        if not loop.translate():
            break
    else:
        raise Unsupported("a Loop whose state is another kind of thing in every iteration")
    state = loop.state
    tensors = [v for e in state for v in tensors_of(e)]
    entries = [*tensors, *capture.values.values()]
    trips = count_iterations(go, entries, loop.model, len(tensors))
    made = control.while_(go, *entries, body=loop.model, carried=len(tensors), trips=trips)
    values = iter(made if isinstance(made, (list, tuple)) else [made])
    found = [like(e, [next(values) for _ in tensors_of(e)]) for e in state]
    return [*found, *values]


class _Loop:
    """A loop whose body is translated again while it tells more of the state."""

    def __init__(
        self, translator: Translator, state: list[Any], capture: Capture, step: Step
    ) -> None:
        self.translator, self.state, self.capture, self.step = translator, state, capture, step
        self.types = [v.type for e in state for v in tensors_of(e)]
        self.loose: set[Dim] = set()
        self.model = Model("body", translator.model)

    def translate(self) -> bool:
        """Make the body; whether it told more."""
        self.translator.spend(BODY)
        self.model = model = Model("body", self.translator.model)
        inputs = iter([model.input(f"state{k}", t) for k, t in enumerate(self.types)])
        entries = [like(e, [next(inputs) for _ in tensors_of(e)]) for e in self.state]
        scope = self.capture.bind(model)
        with self.translator.inside(model, scope):
            go, after, slices = self.step(scope, entries)
            after = [unify(a, e, model) for a, e in zip(after, entries, strict=True)]
            model.outputs = fresh([go, *_tensors_of(after), *slices])
        outer = self.translator.model
        state = [unify(e, a, outer) for e, a in zip(self.state, after, strict=True)]
        state = [_describe(e, a) for e, a in zip(state, after, strict=True)]
        if [type(e) for e in state] != [type(e) for e in self.state]:
            self.state, self.types = state, [v.type for e in state for v in tensors_of(e)]
            return True
        types = [self._join(a, v.type) for a, v in zip(self.types, _tensors_of(after), strict=True)]
        is_other = types != self.types or _descriptions(state) != _descriptions(self.state)
        self.state, self.types = state, types
        return is_other

    def _join(self, before: TensorType, after: TensorType) -> TensorType:
        """A type that both fit; a size that was open stays the symbol that it is."""
        joined = control.join_types(self.translator.model, before, after, "the state of a Loop")
        pairs = zip(before.shape, joined.shape, strict=True)
        dims = tuple(a if a in self.loose else b for a, b in pairs)
        self.loose.update(b for a, b in zip(before.shape, dims, strict=True) if a != b)
        return before.with_shape(dims)


def fold(
    translator: Translator,
    count: Value,
    state: Any,
    step: Callable[..., Any],
    inputs: Sequence[Any],
    graphs: Iterable[SourceGraph] = (),
) -> Any:
    """What `step` makes of a state, or of a list of several, in `count` iterations.

    `step` is given the position of the iteration, the state, and `inputs` as they are in the body;
    `graphs` are those that it translates there.
    """
    states = state if isinstance(state, list) else [state]
    named = {f"input{k}": v for k, v in enumerate(inputs)}
    capture = Capture({**translator.captured(graphs), **named, COUNT: count})

    def iteration(scope: dict[str, Any], entries: list[Any]) -> Iteration:
        position, *before = entries
        made = step(position, *before, *(scope[n] for n in named))
        after = position + 1
        again = after < scope[COUNT]
        return Iteration(again, [after, *(made if isinstance(made, list) else [made])])

    start = translator.model.constant(np.int64(0))
    _, *found = repeat(translator, start < count, [start, *states], capture, iteration)
    return found if isinstance(state, list) else found[0]


def _tensors_of(entries: Iterable[Any]) -> list[Value]:
    found: list[Value] = []
    for entry in entries:
        if not isinstance(entry, (Value, Compound)):
            raise Unsupported("a loop that carries what is neither a tensor nor a sequence")
        found += tensors_of(entry)
    return found


def _describe(entry: Any, after: Any) -> Any:
    return entry.alike(after) if isinstance(entry, Compound) else entry


def _descriptions(entries: Iterable[Any]) -> list[object]:
    return [e.description if isinstance(e, Compound) else None for e in entries]


def require_tensors(entries: Sequence[Any]) -> list[Value]:
    """The slices of an iteration; Unsupported where one is no tensor."""
    if not all(isinstance(entry, Value) for entry in entries):
        raise Unsupported("a sequence or an optional in each iteration of a loop")
    return list(entries)


def flag_of(translator: Translator, cond: Value | None) -> Value:
    """Whether to go on; yes where nothing is said."""
    return translator.model.constant(np.bool_(True)) if cond is None else shape.reshape(cond, [])


def write_out(
    translator: Translator,
    graph: SourceGraph,
    limit: Value | None,
    cond: Value | None,
    state: Sequence[Any],
) -> Any:
    """A loop that carries a sequence, iteration by iteration; None where it is not known when it
    ends."""
    flag, step, rows = flag_of(translator, cond), 0, []
    last = None if limit is None else _item(translator, limit)
    if limit is not None and last is None:
        return None
    while (go := _item(translator, flag)) is not None and go and (last is None or step < last):
        translator.spend(1)
        count = translator.model.constant(np.int64(step))
        flag, *entries = inline(translator, graph, [count, flag, *state])
        state, row = entries[: len(state)], entries[len(state) :]
        rows.append(row)
        step += 1
    if go is None:
        return None
    if len(graph.outputs) > 1 + len(state) and not step:
        raise Unsupported("a Loop over a sequence with scan outputs and without iterations")
    return (*state, *(shape.stack(*c, axis=0) for c in zip(*rows, strict=True)))


def _item(translator: Translator, value: Value) -> Any:
    """The one element of a constant; None where it is none."""
    known = translator.constant_of(value)
    return None if known is None else known.reshape(-1)[0]
