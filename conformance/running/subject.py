"""Which standard operators a case is made of, and which of them it is about."""

from __future__ import annotations

import re
from functools import cache

from nnir.check import all_operations
from nnir.model import Model, Operator
from nnir.plugins import REGISTRY
from nnir.schema import Pattern

BETWEEN = frozenset({"ASSIGN", "CAST", "EXPAND", "FILL", "FILL_LIKE", "RANGE", "RESHAPE", "SHAPE"})
"""What converters put between other operators: types, sizes and numbers."""

FORMULAS = frozenset(
    {
        *("ABS", "ADD", "CLIP", "DIV", "MAX", "MIN", "MUL", "NEG", "SUB", "SUM", "WHERE"),
        *("AND", "EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "NOT", "NOT_EQUAL"),
        *("IS_NAN", "OR", "XOR"),
    }
)
"""What formulas are made of: a case is about something else, where there is something else."""

NOTHING = "NOTHING"
"""What a case is converted to that has no operation left, such as dropout in inference."""

EQUAL, SHORT = 1000, 2
OVERLOADED = frozenset({"aten", "prims", "quantized_decomposed", "torchvision", "transformers"})
"""Where an overload stands behind the name of a function."""

NOISE = re.compile(r"[^0-9a-z*?\[\]!]")


def simplify(name: str) -> str:
    """A name without case, dots and underscores."""
    return NOISE.sub("", name.casefold())


def spellings(op: str) -> tuple[str, ...]:
    """How people may call an operator of a source: `aten.softmax.int`, `aten.softmax`,
    `softmax.int`, `softmax`."""
    _, _, local = op.rpartition("::")
    parts = local.split(".")
    names = {
        op,
        local,
        ".".join(parts[:2]),
        ".".join(parts[1:]),
        parts[1 if parts[0] in OVERLOADED else -1],
    }
    return tuple(sorted({simplify(name) for name in names} - {""}))


def operators_of(op: str, model: Model) -> tuple[str, ...]:
    """The names of the standard operators in a model, the one that a case of `op` is about first.

    That is the one whose name is likest to the source's; where several are, the one that computes
    most, the last of equal ones.
    """
    used = {o.operator.name: o.operator for o in all_operations(model)}
    names = list(used)
    if not names:
        return (NOTHING,)
    weights = {n: (_likeness(op, n), _weight(used[n]), k) for k, n in enumerate(names)}
    subject = max(names, key=weights.__getitem__)
    return subject, *sorted(set(names) - {subject})


def _weight(operator: Operator) -> int:
    """How much an operator says of what it is used for."""
    if operator.name in BETWEEN:
        return 0
    if operator.name in FORMULAS:
        return 2
    if operator.name.startswith("REDUCE_"):
        return 4
    if operator.pattern is Pattern.COMBINING:
        return 5 + (operator.steps is not None)
    return 1 if operator.pattern is Pattern.MOVEMENT else 3


def _likeness(op: str, name: str) -> int:
    """How like the names of a source's and a standard operator are: by what they share, if one is
    a part of the other."""
    own, theirs = simplify(name), spellings(op)
    if own in theirs:
        return EQUAL
    shared = [min(own, t, key=len) for t in theirs if own in t or t in own]
    return max((len(s) for s in shared if len(s) > SHORT), default=0)


def standard_names() -> dict[str, str]:
    """The names of the standard operators, and those of plug-ins, by their simplified forms."""
    return _simplified(REGISTRY.changes)


@cache
def _simplified(changes: int) -> dict[str, str]:
    return {simplify(o.name): o.name for o in REGISTRY.operators()}
