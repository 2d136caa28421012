"""A line of the tables of what has no defined answer."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..case import Case
from ..engines.engine import Answer

Condition = Callable[[Case, Answer], bool]


@dataclass(frozen=True)
class Exclusion:
    """Examples of operators (by pattern) that say nothing, with the reason.

    `frontend` is one of them, or any where it is empty; that of Paddle is both of its.
    """

    ops: tuple[str, ...]
    when: Condition
    why: str
    frontend: str = ""

    def covers(self, frontend: str, op: str) -> bool:
        return frontend.startswith(self.frontend) and matches(self.ops, op)


def matches(patterns: Iterable[str], op: str) -> bool:
    """Whether an operator is one of the patterns; letter case counts."""
    return any(fnmatch.fnmatchcase(op, p) for p in patterns)
