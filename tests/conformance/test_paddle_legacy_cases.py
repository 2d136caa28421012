"""Every legacy Paddle case on every device, against Paddle's own output."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.case import Case, Limit
from conformance.cases.paddle_legacy import CASES, LIMITS
from conformance.engines.paddle_legacy import ENGINE
from conformance.oracles.oracle import Oracle
from frontends.paddle.reading.legacy.rules import RULES

from .judging import judge, require_distinct, require_used, worker_of

ELSEWHERE = {
    *("lod_array_length", "read_from_array", "tensor_array_to_tensor", "write_to_array"),
    *("one_hot", "pad2d"),
}
"""Arrays need more than one operator (tests/frontends/test_paddle_legacy_models.py); Paddle 3 has
nothing to compare the others with (tests/frontends/test_paddle_older.py)."""


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    yield from worker_of("paddle_legacy")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, oracle: Oracle) -> None:
    judge(ENGINE, case, LIMITS, oracle)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda x: f"{x.op}-{x.why}")
def test_limit_matches_a_case(limit: Limit) -> None:
    require_used(limit, CASES)


def test_every_rule_has_a_case() -> None:
    assert set(RULES) - {c.op for c in CASES} == ELSEWHERE


def test_case_names_differ() -> None:
    require_distinct(CASES)
