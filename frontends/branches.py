"""Branches of graphs: IF of two, and of several as IFs in IFs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nnir.errors import Unsupported
from nnir.model import Model, Value
from nnir.ops import compare, control

from . import loop_state as carried
from .capture import Capture
from .loop_state import fresh, inline, truth
from .source import SourceGraph
from .translate import Translator

DEEPEST = 30
"""So many graphs of a case become IFs in IFs."""

Branch = Callable[[list[Any]], Sequence[Any]]


def if_(
    translator: Translator,
    condition: Value,
    inputs: Sequence[Any],
    then_graph: SourceGraph,
    else_graph: SourceGraph,
) -> tuple[Any, ...]:
    """One of two graphs: inlined where the condition is known, else both in an IF."""
    flag = truth(condition)
    known = translator.constant_of(flag)
    if known is not None:
        return tuple(inline(translator, then_graph if known else else_graph, inputs))
    return branch(
        translator,
        flag,
        [then_graph, else_graph],
        inputs,
        lambda given: inline(translator, then_graph, given),
        lambda given: inline(translator, else_graph, given),
    )


def branch(
    translator: Translator,
    flag: Value,
    graphs: Sequence[SourceGraph],
    inputs: Sequence[Any],
    then_branch: Branch,
    else_branch: Branch,
) -> tuple[Any, ...]:
    """An IF; what the branches make of the inputs, they make with `graphs`."""
    given = [carried.settle(v, translator) for v in inputs]
    names = {f"input{k}": v for k, v in enumerate(given) if carried.tensors_of(v)}
    capture = Capture({**translator.captured(graphs), **names})
    models, results = [], []
    for name, translate in (("then", then_branch), ("else", else_branch)):
        model = Model(name, translator.model)
        scope = capture.bind(model)
        with translator.inside(model, scope):
            inner = [scope.get(f"input{k}", v) for k, v in enumerate(given)]
            found = [carried.settle(v, translator) for v in translate(inner)]
        results.append(found)
        models.append(model)
    for side, model in enumerate(models):
        with translator.inside(model, {}):
            pairs = zip(results[side], results[1 - side], strict=True)
            results[side] = [carried.made_alike(a, b, translator) for a, b in pairs]
    sides = carried.made_one_kind(results[0], results[1], models)
    places = carried.tensor_places(*sides)
    for model, found in zip(models, sides, strict=True):
        model.outputs = fresh([v for k in places for v in carried.tensors_of(found[k])])
    made: Any = ()
    if places:
        made = control.if_(
            flag, *capture.values.values(), then_model=models[0], else_model=models[1]
        )
    values = iter(made if isinstance(made, (list, tuple)) else [made])
    return tuple(
        carried.like(v, [next(values) for _ in carried.tensors_of(v)]) if k in places else v
        for k, v in enumerate(sides[0])
    )


def case(
    translator: Translator, place: Value, inputs: Sequence[Any], graphs: Sequence[SourceGraph]
) -> tuple[Any, ...]:
    """One of several graphs; a number that is none of a graph takes the last."""
    known = translator.constant_of(place)
    if known is not None:
        chosen = int(known) if 0 <= int(known) < len(graphs) else len(graphs) - 1
        return tuple(inline(translator, graphs[chosen], inputs))
    return choose(translator, place, graphs, 0, inputs)


def choose(
    translator: Translator,
    place: Value,
    branches: Sequence[SourceGraph],
    first: int,
    inputs: Sequence[Any],
) -> tuple[Any, ...]:
    """The branches from `first` on as IFs in IFs; the last one is for all other places."""
    if first == len(branches) - 1:
        return tuple(inline(translator, branches[first], inputs))
    if first == DEEPEST:
        raise Unsupported(f"a Case of {len(branches)} branches, more than {DEEPEST}")
    return branch(
        translator,
        compare.equal(place, first),
        branches[first:],
        [place, *inputs],
        lambda given: inline(translator, branches[first], given[1:]),
        lambda given: choose(translator, given[0], branches, first + 1, given[1:]),
    )
