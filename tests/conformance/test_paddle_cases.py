"""Every Paddle case on every device, against Paddle's own output."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.case import Case, Limit
from conformance.cases.paddle import CASES, LIMITS, OPEN
from conformance.engines.paddle import ENGINE
from conformance.oracles.oracle import Oracle
from frontends.paddle import TABLE
from frontends.paddle.operators import control

from .judging import judge, require_distinct, require_used, worker_of


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    yield from worker_of("paddle")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, oracle: Oracle) -> None:
    judge(ENGINE, case, LIMITS, oracle)


@pytest.mark.parametrize("case", OPEN, ids=str)
def test_case_of_open_sizes(case: Case, oracle: Oracle) -> None:
    judge(ENGINE, case, LIMITS, oracle, may_refuse=True)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda x: f"{x.op}-{x.why}")
def test_limit_matches_a_case(limit: Limit) -> None:
    require_used(limit, CASES)


def test_every_converter_has_a_case() -> None:
    missing = set(TABLE.entries) - {c.op for c in CASES}
    assert {n for n in missing if not n.startswith("legacy.")} == IN_MODELS


IN_MODELS = set(control.table.entries)
"""What one operator cannot show: see tests/frontends/test_paddle_models.py; what only legacy
programs have has its cases among theirs."""


def test_case_names_differ() -> None:
    require_distinct([*CASES, *OPEN])
