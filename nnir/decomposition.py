"""How an operator is written in others, and what that costs in accuracy or size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from .errors import BREACHES, Unsupported, describe
from .records import dataclass


class Level(StrEnum):
    """What a decomposition may change; each level allows those before it too."""

    EXACT = "exact"
    """The same elements, bit for bit, wherever the operators compute as their references do."""
    ROUNDING = "rounding"
    """Elements that differ by rounding."""
    UNROLLED = "unrolled"
    """As ROUNDING; loops and sequences of a known length are written out step by step."""

    def allows(self, other: Level) -> bool:
        """Whether a decomposition of the level `other` may be taken."""
        levels = list(Level)
        return levels.index(other) <= levels.index(self)


@dataclass(frozen=True)
class Decomposition:
    """A function of the operator's own parameters that appends other operators.

    It raises Unsupported, with the reason, for operands that it cannot express. `ulps`: the
    largest error in units in the last place of a FLOAT32 result; None where it is no elementwise
    function, whose error grows with the number of terms. `absolute`: beside zeros of the function
    the error may be that much instead.
    """

    function: Callable[..., Any]
    level: Level = Level.EXACT
    ulps: float | None = None
    absolute: float = 0.0

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        return self.function(*inputs, **attributes)


@contextmanager
def telling_bugs(name: str, *, is_on_integers: bool) -> Iterator[None]:
    """Around what writes an operation `name` in others: TypeError where that breaks a rule.

    What is written for real numbers may break one on quantised integers: it does not take these.
    """
    try:
        yield
    except BREACHES as error:
        if is_on_integers:
            raise Unsupported(f"{name} of quantised integers: {error}") from error
        raise TypeError(f"what {name} is written in breaks a rule: {describe(error)}") from error
