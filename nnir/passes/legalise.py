"""Operators that a target lacks, written in those that it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..decomposition import Level, telling_bugs
from ..errors import NNAdapterError, Unsupported, summary
from ..model import Model, Operation, Value
from ..records import dataclass
from .rewrite import Pass, sweep

MOST_OPERATIONS = 1_000_000
"""So many operations a model may become; what would make it larger stays."""


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

    return Pass("legalise", rewrite, lambda model: not rewrite(model), keeps_types=True)


def decompose(model: Model, operation: Operation, level: Level) -> str | None:
    """Write one operation in others; the reason where that cannot be done, and nothing changes."""
    if operation.is_on_integers:
        return "its decomposition is one of real numbers, not of quantised operands"
    model.origin = operation.origin
    try:
        results = express(model, operation, operation.inputs, level)
    except NNAdapterError as error:
        return summary(error)
    finally:
        model.origin = None
    for old, new in zip(operation.outputs, results, strict=True):
        model.replace(old, new)
    return None


def express(
    model: Model, operation: Operation, operands: Sequence[Value | None], level: Level
) -> Sequence[Value]:
    """The results of an operation on `operands` of `model`, by its first decomposition that
    takes them.

    Raises Unsupported with the reason of each, or the one why there is none.
    """
    operator, reasons = operation.operator, []
    if len(model.operations) > MOST_OPERATIONS:
        raise Unsupported(f"the model has {MOST_OPERATIONS} operations already")
    for decomposition in operator.decompositions:
        if not level.allows(decomposition.level):
            reasons.append(f"level={decomposition.level} writes it in others")
            break
        before = len(model.operations)
        try:
            with telling_bugs(operator.name, is_on_integers=operation.is_on_integers):
                results = decomposition(*operands, **operation.attributes)
        except NNAdapterError as error:
            model.remove(model.operations[before:])
            reasons.append(summary(error))
        else:
            return results if isinstance(results, tuple) else (results,)
    from ..decompositions.impossible import IMPOSSIBLE  # made of all operators, as they are

    why = IMPOSSIBLE.get(operator, "no other operators express it")
    raise Unsupported("; ".join(reasons) or why)
