"""Every ONNX case on every device, against ONNX's own output."""

from __future__ import annotations

import pytest

from conformance.case import Case, Limit, ModelCase
from conformance.cases.onnx import CASES, LIMITS, MODELS, OPEN
from conformance.engines.onnx import ENGINE, WHOLE
from conformance.oracles.oracle import Oracle
from frontends.onnx import TABLE

from .judging import judge, require_distinct, require_used


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, oracle: Oracle) -> None:
    judge(ENGINE, case, LIMITS, oracle)


@pytest.mark.parametrize("case", OPEN, ids=str)
def test_case_of_open_sizes(case: Case, oracle: Oracle) -> None:
    judge(ENGINE, case, LIMITS, oracle, may_refuse=True)


@pytest.mark.parametrize("case", MODELS, ids=str)
def test_model(case: ModelCase, oracle: Oracle) -> None:
    judge(WHOLE, case, (), oracle)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda x: f"{x.op}-{x.why}")
def test_limit_matches_a_case(limit: Limit) -> None:
    require_used(limit, CASES)


def test_every_converter_has_a_case() -> None:
    shown = {f"{c.domain}::{c.op}" if c.domain else c.op for c in CASES}
    assert set(TABLE.entries) <= shown.union(*(m.ops for m in MODELS))


def test_case_names_differ() -> None:
    require_distinct([*CASES, *OPEN])
