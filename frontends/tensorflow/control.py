"""TensorFlow's control flow as functions: If, Case and While."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nnir.errors import NNAdapterError, Unsupported
from nnir.model import Model, Value
from nnir.ops import compare, control

from ..capture import Capture
from ..source import SourceGraph
from ..table import Table
from ..translate import Translator
from . import state
from .listed import List
from .loops import BODY, LONGEST, UNROLLED, Loop, counted, noted
from .state import fresh, truth
from .state import inlined as inlined

table = Table()

DEEPEST = 30
"""So many branches of a Case become IFs in IFs."""


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
) -> tuple[Any, ...]:
    """An IF; what the branches make of the inputs, they make with `graphs`."""
    given = [state.settled(v, translator) for v in inputs]
    names = {f"input{k}": t for k, v in enumerate(given) if (t := state.tensor_of(v)) is not None}
    capture = Capture({**translator.captured(graphs), **names})
    models, results = [], []
    for name, branch in (("then", then_branch), ("else", else_branch)):
        model = Model(name, translator.model)
        scope = capture.bind(model)
        with translator.inside(model, scope):
            inner = [state.like(v, scope.get(f"input{k}")) for k, v in enumerate(given)]
            found = [state.settled(v, translator) for v in branch(inner)]
        results.append(found)
        models.append(model)
    for side, model in enumerate(models):
        with translator.inside(model, {}):
            pairs = zip(results[side], results[1 - side], strict=True)
            results[side] = [state.made_alike(a, b, translator) for a, b in pairs]
    places = state.tensor_places(results[0], results[1])
    for model, found in zip(models, results, strict=True):
        model.outputs = fresh([state.require_tensor(found[k], "a branch") for k in places])
    made: Any = ()
    if places:
        made = control.if_(
            flag, *capture.values.values(), then_model=models[0], else_model=models[1]
        )
    values = iter(made if isinstance(made, (list, tuple)) else [made])
    return tuple(
        state.like(v, next(values)) if k in places else v for k, v in enumerate(results[0])
    )


@table.convert("Case", "StatelessCase")
def case(
    branch_index: Value,
    input: tuple[Any, ...],
    *,
    branches: tuple[SourceGraph, ...],
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
        compare.equal(place, first),
        branches[first:],
        [place, *inputs],
        lambda given: inlined(translator, branches[first], given[1:]),
        lambda given: decided(translator, given[0], branches, first + 1, given[1:]),
    )


@table.convert("While", "StatelessWhile")
def while_(
    input: tuple[Any, ...], *, cond: SourceGraph, body: SourceGraph, translator: Translator
) -> Any:
    trips = counted(translator, cond, body, input, UNROLLED)
    if trips is None or trips > UNROLLED:
        before = noted(translator)
        try:
            return Loop(translator, cond, body, input).converted()
        except NNAdapterError:
            has_lists = any(isinstance(v, List) for v in input)
            trips = counted(translator, cond, body, input, LONGEST) if trips and has_lists else None
            if trips is None or trips > LONGEST:
                raise
            translator.errors, translator.problems = before
    entries: list[Any] = list(input)
    for _ in range(trips):
        translator.spend(BODY)
        entries = inlined(translator, body, entries)
    return tuple(entries)
