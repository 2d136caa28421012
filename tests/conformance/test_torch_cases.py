"""Every PyTorch case on every device, against PyTorch's own output."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.case import Case, Limit
from conformance.cases.torch import CASES, LIMITS
from conformance.engines.torch import ENGINE
from conformance.oracles.oracle import Oracle
from frontends.torch import TABLE
from frontends.torch.reading.schema import HIGHER_ORDER

from .judging import judge, require_distinct, require_used, worker_of


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    yield from worker_of("torch")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, oracle: Oracle) -> None:
    judge(ENGINE, case, LIMITS, oracle)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda x: f"{x.op}-{x.why}")
def test_limit_matches_a_case(limit: Limit) -> None:
    require_used(limit, CASES)


TYPES = "aten.promote_types.default"
"""Its result is a type, which is no value; `tests/frontends/test_torch_open_sizes.py` has one."""


def test_every_converter_has_a_case() -> None:
    assert set(TABLE.entries) - {c.op for c in CASES} - set(HIGHER_ORDER) == {TYPES}


def test_case_names_differ() -> None:
    require_distinct(CASES)
