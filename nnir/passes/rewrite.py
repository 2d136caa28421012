"""What a pass is, and how passes are run."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from ..errors import BadModel, NNAdapterError
from ..model import Model, Operation, Value
from ..operator import Operator
from ..progress import note
from ..records import dataclass

Rewrite = Callable[[Model], bool]
Condition = Callable[[Model], bool]


@dataclass(frozen=True)
class Pass:
    """A rewrite of a model in place. Calling it says whether the model was modified.

    What the passes in `requires` ensure must hold before, `ensures` holds afterwards;
    `apply(..., checked=True)` verifies both and the whole model. One that `keeps_types` also
    rewrites models with operations on quantised operands.
    """

    name: str
    rewrite: Rewrite
    ensures: Condition
    requires: tuple[Pass, ...] = ()
    keeps_types: bool = False

    def __call__(self, model: Model) -> bool:
        modified = self.rewrite(model)
        if any(operator.has_models for operator in {o.operator for o in model.operations}):
            for operation in model.operations:
                for inner in operation.models:
                    modified |= self(inner)
        return modified


def rewrite(*, ensures: Condition, keeps_types: bool = False) -> Callable[[Rewrite], Pass]:
    """Decorator: make a pass of a function."""
    return lambda function: Pass(function.__name__, function, ensures, keeps_types=keeps_types)


def apply(model: Model, passes: Iterable[Pass], *, checked: bool = False) -> list[str]:
    """Run passes in order; the names of those that modified the model.

    With `checked`, the model is valid before and after each pass and the pass keeps its promise.
    What an operation on quantised operands gives depends on the type of its result, which forms of
    explicit models do not name: such a model is left to the passes that keep types.
    """
    if checked:
        from ..check import check  # users' passes are not

        check(model)
    modified = []
    steps = list(passes)
    if steps and _computes_on_integers(model):
        steps = [p for p in steps if p.keeps_types]
    for step in steps:
        if checked:
            _require(step, model)
        before, started = len(model.operations), time.perf_counter()
        if _run(step, model):
            modified.append(step.name)
            count, seconds = len(model.operations), time.perf_counter() - started
            note(f"pass {step.name}: {before} -> {count} operations, {seconds * 1e3:.1f} ms")
        if checked:
            check(model)
            if not step.ensures(model):
                raise BadModel(f"pass {step.name} does not keep its promise")
    return modified


def _computes_on_integers(model: Model) -> bool:
    """Whether an operation computes with what quantised integers stand for."""
    precisions = {v.type.precision for o in model.operations for v in o.outputs}
    if not any(p.is_quantized for p in precisions):  # as most
        return False
    return any(o.is_on_integers for o in model.operations)


def _require(step: Pass, model: Model) -> None:
    for earlier in step.requires:
        if not earlier.ensures(model):
            raise BadModel(f"pass {step.name} requires {earlier.name} before it")


def _run(step: Pass, model: Model) -> bool:
    try:
        return step(model)
    except NNAdapterError:
        raise
    except Exception as error:
        error.add_note(f"in the pass {step.name}")
        raise


def without(operator: Operator[Any], *, where: Callable[[Operation], bool]) -> Condition:
    """A promise: no operation of `operator` is left for which `where` holds."""
    return lambda model: not any(o.operator is operator and where(o) for o in model.operations)


def only_reader(value: Value) -> Operation | None:
    """The one operation that reads a value which is no output of the model."""
    if len(value.uses) != 1 or value in value.model.outputs:
        return None
    return next(iter(value.uses))


def number(value: Value | None) -> float | None:
    """The number that a constant of one element holds."""
    if value is None or value.constant is None or value.constant.size != 1:
        return None
    return float(np.asarray(value.constant).reshape(-1)[0])


def sweep(model: Model) -> bool:
    """Remove every operation none of whose outputs is read, and those that only such ones read."""
    ends = set(model.outputs)
    unread = [o for o in model.operations if not o.outputs[0].uses]
    waiting = [o for o in unread if not _is_read(o, ends)]
    dead: dict[Operation, None] = {}
    while waiting:
        operation = waiting.pop()
        dead[operation] = None
        for value in operation.inputs:
            if value is None or operation not in value.uses:
                continue
            del value.uses[operation]
            maker = value.producer
            if maker is not None and maker not in dead and not _is_read(maker, ends):
                waiting.append(maker)
    if dead:
        model.operations = [o for o in model.operations if o not in dead]
    for operation in dead:  # no cycle is left: memory is free at once, not with a later collection
        operation.outputs = ()
    return bool(dead)


def _is_read(operation: Operation, ends: Collection[Value]) -> bool:
    first, *others = operation.outputs
    return bool(first.uses) or first in ends or any(v.uses or v in ends for v in others)
