"""Engines fuse operators, and move them past each other: what comes out is what it was."""

from __future__ import annotations

import pytest

from .pairs.floats import FLOATS
from .pairs.integers import INTEGERS
from .pairs.models import Table, problems

DEVICES = ("onnxruntime", "openvino", "litert", "torch")
TABLES = {"floats": FLOATS, "integers": INTEGERS}
SOME, MANY = 211, 29
"""One pair in so many is tried each time, and in the long test: primes, to meet all followers."""


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("table", TABLES)
def test_some_pairs(table: str, device: str) -> None:
    assert problems(TABLES[table].pairs(one_in=SOME), [device]) == []


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("table", TABLES)
def test_many_pairs(table: str, device: str) -> None:
    assert problems(TABLES[table].pairs(one_in=MANY), [device]) == []


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_random_chains(device: str) -> None:
    assert problems(FLOATS.chains(101, 800), [device]) == []


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_operator_is_in_pairs_of_every_form(table: Table) -> None:
    """What refuses a value is left out, and nothing is to be left out by accident."""
    found = list(table.pairs(one_in=5))
    names = [model.name.rsplit(" ", 1) for model, _, _ in found]
    assert len(names) > 7000
    assert {maker for maker, _ in names} == {*table.makers}
    assert {follower for _, follower in names} == {*table.followers}
    assert {form for _, _, form in found} == {*table.forms}
