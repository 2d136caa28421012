"""Rules of legacy operators agree with Paddle's descriptions and lead to converters that exist."""

from __future__ import annotations

import pytest

from frontends.paddle import TABLE
from frontends.paddle.reading.legacy import defs as legacy_defs
from frontends.paddle.reading.legacy.math import BINARY, REDUCTIONS
from frontends.paddle.reading.legacy.rules import RULES


@pytest.mark.parametrize("name", sorted(RULES))
def test_slots_are_known(name: str) -> None:
    assert legacy_defs.find(name).outputs


@pytest.mark.parametrize("name", sorted({*BINARY.values(), *REDUCTIONS.values()}))
def test_converters_exist(name: str) -> None:
    assert name in TABLE.entries


def test_older_names_have_rules() -> None:
    assert not set(legacy_defs.OLDER) - set(RULES)
