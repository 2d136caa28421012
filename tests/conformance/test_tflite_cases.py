"""Every TFLite case on every device, against LiteRT's own output."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.case import Case
from conformance.cases.tflite import CASES, LIMITS
from conformance.engines.tflite import ENGINE
from conformance.oracles.oracle import Oracle
from frontends.tflite import TABLE

from .judging import DEVICES, judge, require_distinct, worker_of

IN_MODELS = {"READ_VARIABLE"}
"""What one operator cannot show: see tests/frontends/test_tflite_models.py. StableHLO's operators
without a kernel in LiteRT are in tests/frontends/test_stablehlo.py."""


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    yield from worker_of("litert")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, oracle: Oracle) -> None:
    judge(ENGINE, case, LIMITS, oracle)


def test_limits_match_cases() -> None:
    ran = [(c, d) for c in CASES for d in DEVICES if not c.raises]
    assert [x for x in LIMITS if not any(x.matches(c, d) for c, d in ran)] == []


def test_every_converter_has_a_case() -> None:
    missing = set(TABLE.entries) - {c.op for c in CASES}
    assert {n for n in missing if not n.startswith("STABLEHLO_")} == IN_MODELS


def test_case_names_differ() -> None:
    require_distinct(CASES)
