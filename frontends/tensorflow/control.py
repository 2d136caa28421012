"""TensorFlow's control flow as functions: If, Case and While."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nnir.errors import NotConstant, Unsupported
from nnir.model import Model, Value
from nnir.ops import compare, control, reduce, shape, unary
from nnir.types import Precision, TensorType

from ..capture import Capture
from ..source import SourceGraph
from ..table import Table
from ..translate import Translator

table = Table()
BODY = 10
"""A loop costs as much as so many plain nodes."""

ROUNDS = 8
"""How often a loop body is translated until the sizes of its state stay as they are."""

DEEPEST = 30
"""So many branches of a Case become IFs in IFs."""

UNROLLED = 64
"""Loops of at most so many iterations are written out, others only where they carry a list."""


def inlined(translator: Translator, graph: SourceGraph, inputs: Sequence[Any]) -> list[Any]:
    """The outputs of a graph in the current model; variables keep their names in it."""
    names = [v.name for v in graph.inputs]
    return translator.inline(graph, dict(zip(names, inputs, strict=True)))


def truth(value: Value) -> Value:
    """A condition: a number is one when it is not 0, a tensor with axes when it has elements."""
    if value.rank:
        sizes = shape.shape(value, dtype=Precision.INT64)
        value = reduce.reduce_prod(sizes, [0], keepdim=False)
    return value if value.precision == Precision.BOOL8 else compare.not_equal(value, 0)


def fresh(values: Sequence[Value]) -> list[Value]:
    """Values that a sub-model makes: an input that is passed on is copied."""
    return [unary.assign(v) if v.producer is None else v for v in values]


def tensors(values: Sequence[Any], what: str) -> list[Value]:
    """All of them, where they are tensors."""
    found = [v for v in values if isinstance(v, Value)]
    if len(found) < len(values):
        raise Unsupported(f"{what} whose length or condition is only known while running")
    return found


@table.convert("If", "StatelessIf")
def if_(
    cond: Value,
    input: tuple[Any, ...],
    *,
    then_branch: SourceGraph,
    else_branch: SourceGraph,
    Tout: tuple[Any, ...],  # noqa: N803
    translator: Translator,
) -> Any:
    flag = truth(cond)
    known = translator.constant_of(flag)
    if known is not None:
        return tuple(inlined(translator, then_branch if known else else_branch, input))
    return branched(
        translator,
        flag,
        [then_branch, else_branch],
        input,
        lambda given: inlined(translator, then_branch, given),
        lambda given: inlined(translator, else_branch, given),
    )


Branch = Callable[[list[Any]], Sequence[Any]]


def branched(
    translator: Translator,
    flag: Value,
    graphs: Sequence[SourceGraph],
    inputs: Sequence[Any],
    then_branch: Branch,
    else_branch: Branch,
) -> tuple[Value, ...]:
    """An IF; what the branches make of the inputs, they make with `graphs`."""
    names = [f"input{k}" for k in range(len(inputs))]
    given = dict(zip(names, inputs, strict=True))
    capture = Capture({**translator.captured(graphs), **given})
    models = []
    for name, branch in (("then", then_branch), ("else", else_branch)):
        model = Model(name, translator.model)
        scope = capture.bind(model)
        with translator.inside(model, scope):
            found = branch([scope[n] for n in names])
            model.outputs = fresh(tensors(found, "a list in a branch"))
        models.append(model)
    made = control.if_(flag, *capture.values.values(), then_model=models[0], else_model=models[1])
    return tuple(made) if isinstance(made, (list, tuple)) else (made,)


@table.convert("Case", "StatelessCase")
def case(
    branch_index: Value,
    input: tuple[Any, ...],
    *,
    branches: tuple[Any, ...],
    Tout: tuple[Any, ...],  # noqa: N803
    translator: Translator,
) -> Any:
    known = translator.constant_of(branch_index)
    if known is not None:
        chosen = int(known) if 0 <= int(known) < len(branches) else len(branches) - 1
        return tuple(inlined(translator, branches[chosen], input))
    return decided(translator, branch_index, branches, 0, input)


def decided(
    translator: Translator,
    place: Value,
    branches: Sequence[SourceGraph],
    first: int,
    inputs: Sequence[Any],
) -> tuple[Any, ...]:
    """The branches from `first` on as IFs in IFs; the last one is for all other places."""
    if first == len(branches) - 1:
        return tuple(inlined(translator, branches[first], inputs))
    if first == DEEPEST:
        raise Unsupported(f"a Case of {len(branches)} branches, more than {DEEPEST}")
    return branched(
        translator,
        compare.equal(place, place.model.constant(np.array(first, place.dtype))),
        branches[first:],
        [place, *inputs],
        lambda given: inlined(translator, branches[first], given[1:]),
        lambda given: decided(translator, given[0], branches, first + 1, given[1:]),
    )


@table.convert("While", "StatelessWhile")
def while_(
    input: tuple[Any, ...], *, cond: SourceGraph, body: SourceGraph, translator: Translator
) -> Any:
    has_lists = any(v is not None and not isinstance(v, Value) for v in input)
    state: list[Any] = list(input)
    step = 0
    while step <= UNROLLED or has_lists:
        (flag,) = inlined(translator, cond, state)
        known = translator.constant_of(truth(flag))
        if known is None:
            if has_lists:
                raise NotConstant(
                    "a loop over a list whose number of iterations is only known while running: "
                    "give the model a fixed length in time"
                )
            break
        if not known:
            return tuple(state)
        translator.spend(BODY)
        state = inlined(translator, body, state)
        step += 1
    return looped(translator, cond, body, input)


def looped(
    translator: Translator, cond: SourceGraph, body: SourceGraph, inputs: Sequence[Any]
) -> tuple[Any, ...]:
    """A WHILE over what is a tensor; variables pass through."""
    translator.spend(BODY)
    places = [k for k, v in enumerate(inputs) if v is not None]
    state = tensors([inputs[k] for k in places], "a list in a loop")
    capture = Capture(translator.captured([cond, body]))
    (flag,) = inlined(translator, cond, inputs)
    types = [v.type for v in state]
    for _ in range(ROUNDS):
        model, changed = _body(translator, cond, body, capture, places, len(inputs), types)
        if not changed:
            break
        types = changed
    go = unary.assign(truth(flag))
    made = control.while_(go, *state, *capture.values.values(), body=model, carried=len(state))
    results: list[Any] = [None] * len(inputs)
    for place, value in zip(
        places, made if isinstance(made, (list, tuple)) else [made], strict=True
    ):
        results[place] = value
    return tuple(results)


def _body(
    translator: Translator,
    cond: SourceGraph,
    body: SourceGraph,
    capture: Capture,
    places: Sequence[int],
    count: int,
    types: Sequence[TensorType],
) -> tuple[Model, list[TensorType]]:
    """The body as a model, and the types of the state where its sizes change."""
    model = Model(body.name or "body", translator.model)
    state: list[Any] = [None] * count
    for place, type in zip(places, types, strict=True):
        state[place] = model.input(f"state{place}", type)
    with translator.inside(model, capture.bind(model)):
        after = inlined(translator, body, state)
        (again,) = inlined(translator, cond, after)
        kept = tensors([after[k] for k in places], "a list in a loop")
        model.outputs = [unary.assign(truth(again)), *fresh(kept)]
    joined = [
        control.joined(translator.model, a, v.type, "the state of a While")
        for a, v in zip(types, kept, strict=True)
    ]
    return model, joined if joined != list(types) else []
