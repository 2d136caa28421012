"""Every ONNX case on every device, against ONNX's own output."""

from __future__ import annotations

import pytest

from conformance.case import Case, Limit, ModelCase
from conformance.cases.onnx import CASES, LIMITS, MODELS
from conformance.onnx_engine import check, check_model, run
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


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", MODELS, ids=str)
def test_model(case: ModelCase, device: str, oracle: Oracle) -> None:
    if case.raises is not None:
        with pytest.raises(case.raises):
            check_model(case, device, oracle)
    else:
        check_model(case, device, oracle)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda x: f"{x.op}-{x.why}")
def test_limit_matches_a_case(limit: Limit) -> None:
    assert any(limit.matches(c, d) for c in CASES for d in DEVICES if not c.raises)


def test_every_converter_has_a_case() -> None:
    shown = {f"{c.domain}::{c.op}" if c.domain else c.op for c in CASES}
    assert set(TABLE.entries) <= shown.union(*(m.ops for m in MODELS))


def test_case_names_differ() -> None:
    names = [str(c) for c in CASES]
    assert sorted(names) == sorted(set(names))
