"""Every ONNX case on every device, against ONNX's own output."""

from __future__ import annotations

import pytest

from conformance.case import Case, Limit
from conformance.cases.onnx import CASES, LIMITS
from conformance.onnx_engine import check, run
from conformance.oracle import Oracle
from frontends.onnx import TABLE

DEVICES = ("builtin", "onnxruntime")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, device: str, oracle: Oracle) -> None:
    limit = next((x for x in LIMITS if x.matches(case, device)), None)
    if case.raises is not None:
        with pytest.raises(case.raises):
            run(case, device)
    elif limit is not None:
        with pytest.raises(limit.raises):
            check(case, device, oracle)
    else:
        check(case, device, oracle)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda x: f"{x.op}-{x.why}")
def test_limit_matches_a_case(limit: Limit) -> None:
    assert any(limit.matches(c, d) for c in CASES for d in DEVICES if not c.raises)


def test_every_converter_has_a_case() -> None:
    assert set(TABLE.entries) <= {f"{c.domain}::{c.op}" if c.domain else c.op for c in CASES}


def test_case_names_differ() -> None:
    names = [str(c) for c in CASES]
    assert sorted(names) == sorted(set(names))
