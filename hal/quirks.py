"""Bugs of engines that are known and met.

A driver lists its engine's in `quirks.py`. Each has a program in `docs/upstream_bugs` that shows
it in the engine alone, and that a test runs: it fails once the engine is mended.
"""

from __future__ import annotations

from collections import Counter
from contextvars import ContextVar
from enum import StrEnum

from nnir.records import dataclass


class Means(StrEnum):
    """What is done about a bug."""

    REWRITTEN = "rewritten"
    REFUSED = "refused"
    SET = "an option is set"


@dataclass(frozen=True)
class Quirk:
    """A bug of an engine.

    `name` is also that of its program. `seen`: the versions in which it was found. `means`:
    what the driver does about it.
    """

    engine: str
    name: str
    what: str
    seen: str
    means: Means


MET: ContextVar[Counter[Quirk] | None] = ContextVar("met", default=None)
"""Counts what was met, for whoever asks."""


def report_met(quirk: Quirk) -> None:
    """Say that a model has what an engine gets wrong."""
    if (found := MET.get()) is not None:
        found[quirk] += 1
