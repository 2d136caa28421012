"""Models written in the operators of the standard alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .decomposition import Level
from .errors import BadInput
from .model import Model, Operation
from .passes import CLEAN, apply, fuse_gelu, fuse_swish, legalise
from .specialise import fix_sizes

VERSIONS = {"v1": frozenset({"v1"}), "v1.1": frozenset({"v1", "v1.1"})}
"""The versions of the standard, and whose operators each of them has."""

NEWEST = "v1.1"

FUSED = (fuse_gelu, fuse_swish)
"""Sequences of operators that are one of the standard's."""


@dataclass(frozen=True)
class Beyond:
    """An operator that stays in a model although the standard lacks it, why, and how often."""

    operator: str
    why: str
    count: int


def to_standard(
    model: Model, opset: str = "v1.1", level: Level | str = Level.EXACT
) -> list[Beyond]:
    """Write a model in the operators of the standard, in place; what cannot be.

    `opset` is "v1" or "v1.1". `level` says what may change: "exact" nothing; "rounding" the last
    digits of results, by polynomials and sums in another order (`nnadapter ops NAME` states the
    error); "unrolled" writes out loops and sequences of a known length as well.

    Raises BadInput for a version or level that there is not.
    """
    allowed, chosen = _version(opset), _level(level)
    if chosen.allows(Level.ROUNDING):
        apply(model, FUSED)
    reasons: dict[Operation, str] = {}
    step = legalise(lambda operation: operation.operator.since in allowed, chosen, reasons)
    while apply(model, [step]):
        reasons.clear()
        apply(model, CLEAN)
    counts = Counter((o.operator.name, why) for o, why in reasons.items())
    return [Beyond(*key, count) for key, count in sorted(counts.items())]


def explain_beyond(model: Model, opset: str, level: Level | str = Level.UNROLLED) -> list[Beyond]:
    """What `to_standard` would leave of a model, which stays as it is."""
    return to_standard(fix_sizes(model, {}), opset, level)


def _version(opset: str) -> frozenset[str]:
    if opset not in VERSIONS:
        raise BadInput(f"no version {opset!r} of the standard; there are {', '.join(VERSIONS)}")
    return VERSIONS[opset]


def _level(level: Level | str) -> Level:
    try:
        return Level(level)
    except ValueError:
        raise BadInput(f"no level {level!r}; there are {', '.join(Level)}") from None
