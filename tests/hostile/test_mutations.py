"""A few hundred damaged files of each format; `tests.hostile.mutate` does it at length."""

from __future__ import annotations

import pytest

from .mutate import run
from .starts import FORMATS

COUNT = 100
SEED = 20


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_refused_or_load(name: str) -> None:
    outcome = run(name, COUNT, SEED, seconds=60)
    assert outcome.findings == {}
    assert outcome.refused
    assert bool(outcome.loaded) == (name != "keras"), "what nobody trusts does not load"
