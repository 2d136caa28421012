"""Operators that a target lacks, written in those that it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..decomposition import Level
from ..errors import NNAdapterError, summary
from ..model import Model, Operation
from .rewrite import Pass, sweep


@dataclass(frozen=True)
class Left:
    """An operation that stays, the operator of the model that it is a part of, and why."""

    operation: Operation
    part_of: str
    why: str


def legalise(
    supported: Callable[[Operation], bool],
    level: Level = Level.UNROLLED,
    left: list[Left] | None = None,
) -> Pass:
    """A pass that decomposes every operation that is not `supported`, as far as `level` allows.

    What stays is appended to `left`.
    Ensures: what is left unsupported has no decomposition for its operands.
    """

    def rewrite(model: Model) -> bool:
        modified = False
        waiting = [(o, o.operator.name) for o in model.sorted() if not supported(o)]
        while waiting:
            operation, part_of = waiting.pop()
            before = len(model.operations)
            why = decompose(model, operation, level)
            if why is None:
                modified = True
                waiting += [(o, part_of) for o in model.operations[before:] if not supported(o)]
            elif left is not None:
                left.append(Left(operation, part_of, why))
        return sweep(model) or modified

    return Pass("legalise", rewrite, lambda model: not rewrite(model))


def decompose(model: Model, operation: Operation, level: Level) -> str | None:
    """Write one operation in others; the reason where that cannot be done, and nothing changes."""
    from ..decompositions.impossible import IMPOSSIBLE  # made of all operators, as they are

    operator = operation.operator
    allowed = [d for d in operator.decompositions if level.allows(d.level)]
    reasons = []
    for decomposition in allowed:
        model.origin, before = operation.origin, len(model.operations)
        try:
            results = decomposition(*operation.inputs, **operation.attributes)
        except NNAdapterError as error:
            model.remove(model.operations[before:])
            reasons.append(summary(error))
            continue
        finally:
            model.origin = None
        made = results if isinstance(results, tuple) else (results,)
        for old, new in zip(operation.outputs, made, strict=True):
            model.replace(old, new)
        return None
    later = [d.level for d in operator.decompositions if d not in allowed]
    if later:
        reasons.append(f"level={later[0]} writes it in others")
    return "; ".join(reasons) or IMPOSSIBLE.get(operator, "no other operators express it")
