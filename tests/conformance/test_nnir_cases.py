"""Every case of the standard's own operators on every device, against another computation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.case import Limit
from conformance.cases.nnir import CASES, LIMITS, MODELS, OPEN, DirectCase
from conformance.engines.nnir import ENGINE
from conformance.judging.judge import judge as verdict_on
from conformance.judging.result import LIMIT, STALE, WRONG
from conformance.oracles.oracle import Oracle
from nnir.errors import BadType
from nnir.ops import index

from .judging import DEVICES, OTHERS, judge, require_distinct

NOBODY = Oracle("")
"""There is no framework to ask."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: DirectCase) -> None:
    """Of every element type: engines may refuse those that the ledger says."""
    judge(ENGINE, case, LIMITS, NOBODY, may_refuse=True)


@pytest.mark.parametrize("case", OPEN, ids=str)
def test_case_of_open_sizes(case: DirectCase) -> None:
    judge(ENGINE, case, LIMITS, NOBODY, may_refuse=True)


@pytest.mark.parametrize("limit", LIMITS, ids=str)
def test_limit_matches_a_case(limit: Limit) -> None:
    devices = (*DEVICES, *OTHERS, "nnapi", "nnrt")
    assert any(limit.matches(c, d) for c in (*CASES, *MODELS) for d in devices)


def test_case_names_differ() -> None:
    require_distinct([*CASES, *OPEN])


def test_a_device_may_be_known_not_to_fail() -> None:
    right = next(c for c in CASES if c.operator is index.roll)
    limit = Limit("ROLL", "it is not looked at", device="builtin")
    fine = replace(right, raises=BadType)
    assert verdict_on(ENGINE, fine, "builtin", (), NOBODY).verdict == WRONG
    assert verdict_on(ENGINE, fine, "builtin", (limit,), NOBODY).verdict == LIMIT
    fails = next(c for c in CASES if c.operator is index.roll and c.raises)
    assert verdict_on(ENGINE, fails, "builtin", (limit,), NOBODY).verdict == STALE
