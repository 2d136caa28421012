"""Which operations stay as they are because somebody says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from nnir.errors import BadInput
from nnir.model import Model, Operation
from nnir.spelling import suggest


def match_patterns(model: Model, patterns: Sequence[str]) -> dict[Operation, str]:
    """The operations that patterns name, by their names or their operators, each with the reason.

    A text that names none is a list with commas. BadInput for a pattern that names none.
    """
    found: dict[Operation, str] = {}
    order = model.sorted()
    for pattern in patterns:
        named = [o for o in order if _is_named(o, pattern)]
        if not named and "," in pattern:
            found = match_patterns(model, [p.strip() for p in pattern.split(",")]) | found
        elif not named:
            raise BadInput(
                f"no operation is called {pattern!r}{_suggest(pattern, order)}; `nnadapter "
                "inspect --layers` lists them"
            )
        found.update({o: f"kept by {pattern!r}" for o in named if o not in found})
    return found


def _is_named(operation: Operation, pattern: str) -> bool:
    return fnmatchcase(operation.label, pattern) or fnmatchcase(operation.operator.name, pattern)


def _suggest(pattern: str, operations: Iterable[Operation]) -> str:
    return suggest(pattern, [n for o in operations for n in (o.label, o.operator.name)])
