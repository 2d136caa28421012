"""How much of what takes long a run of the tests tries.

`make test` draws: one long test in four, and one case in twenty of each ledger that was written by
the code that is here, others for each state of the code. Tests that share what takes long to make
are drawn together. `make whole` tries everything, as does
pytest by itself.
"""

from __future__ import annotations

import zlib
from functools import cache

import pytest

from conformance.ledger import FRONTENDS
from conformance.ledger.states import is_written_of_this_state, state_of

OPTION = "--drawn"
MARK = "long"
"""Tests that take more than two or three seconds, or with a name all those that share what does."""

LONG, LEDGER = 4, 20


@cache
def seed() -> int:
    """What is drawn by: another number for each state of the code."""
    return zlib.crc32("".join(map(state_of, FRONTENDS)).encode())


def draw_cases(frontend: str, config: pytest.Config) -> int:
    """One case in how many of a frontend is tried: all where the ledger was written by other
    code."""
    is_drawn = config.getoption(OPTION) and is_written_of_this_state(frontend)
    return LEDGER if is_drawn else 1


def draw_long(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests that are tried, and the long ones that are not."""
    marked = [(i, m) for i in items if (m := i.get_closest_marker(MARK))]
    left = [i for i, m in marked if not _is_drawn(*(m.args or (i.nodeid,)))]
    missing = {*left}
    return [i for i in items if i not in missing], left


def _is_drawn(name: str) -> bool:
    return zlib.crc32(f"{seed()} {name}".encode()) % LONG == 0
