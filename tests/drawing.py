"""How much of what is long a test run tries.

`make test` draws a part of the longest ones, another part for each state of the code;
`make whole` tries everything.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from conformance.ledger import states

T = TypeVar("T")

IS_WHOLE = bool(os.environ.get("NNADAPTER_WHOLE"))
"""Whether everything is tried."""

LEDGER = 8
"""One case in so many of a ledger that was written of the code that is here."""


def seed_of(frontend: str) -> int:
    """What is drawn by: another number for each state of the code."""
    return int(states.state_of(frontend)[:8], 16)


def drawn_of(frontend: str) -> tuple[int, int]:
    """One case in how many of a frontend is tried, and the seed that they are drawn by: all of
    them where the ledger was written by other code."""
    is_known = states.is_written_of_this_state(frontend) and not IS_WHOLE
    return (LEDGER if is_known else 1), seed_of(frontend)


def draw(items: Sequence[T], one_in: int, seed: int) -> list[T]:
    """One item in so many, others for each seed."""
    return [*items] if IS_WHOLE else [*items[seed % one_in :: one_in]]
