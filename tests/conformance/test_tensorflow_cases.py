"""Every TensorFlow case on every device, against TensorFlow's own output."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.case import Case, Limit
from conformance.cases.tensorflow import CASES, LIMITS, OPEN
from conformance.engines.tensorflow import ENGINE
from conformance.oracles.oracle import Oracle
from frontends.tensorflow import TABLE

from .judging import judge, require_distinct, require_used, worker_of


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    yield from worker_of("tensorflow")


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
    assert missing == set(IN_MODELS)


IN_MODELS = {
    name
    for name in TABLE.entries
    if name.startswith(("TensorList", "EmptyTensorList", "TensorArray"))
}
IN_MODELS |= {"Const", "If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"}
"""What one operator cannot show: see tests/frontends/test_tensorflow_models.py."""


def test_case_names_differ() -> None:
    require_distinct([*CASES, *OPEN])
