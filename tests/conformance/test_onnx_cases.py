"""Every ONNX case on every device, against ONNX's own output."""

from __future__ import annotations

import pytest

from conformance.case import Case, Limit, ModelCase
from conformance.cases.onnx import CASES, LIMITS, MODELS
from conformance.onnx_engine import ENGINE, WHOLE
from conformance.oracle import Oracle
from frontends.onnx import TABLE

from .judging import DEVICES, judge, require_distinct, require_used

NEWER = "neither the reference evaluator nor ONNX Runtime runs opsets this old"
NO_ORACLE: dict[tuple[str, str], str] = {
    **{(op, "axis"): NEWER for op in ("Div", "Mul", "Sub", "Equal", "Greater", "Less")},
    **{(op, "axis"): NEWER for op in ("Pow", "And", "Or", "Xor")},
    **{(op, "output_sequence"): NEWER for op in ("RNN", "GRU", "LSTM")},
    ("CastLike", "round_mode"): "the reference evaluator's CastLike is older than the attribute",
    ("Constant", "sparse_value"): "the origins give a sparse output; see test_reader.py",
    ("Dropout", "is_test"): NEWER,
    ("Pow", "broadcast"): NEWER,
    ("Upsample", "height_scale"): NEWER,
    ("Upsample", "width_scale"): NEWER,
}
"""Attributes that no case can show, and why; test_old_opsets.py compares them with NumPy."""


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, device: str, oracle: Oracle) -> None:
    judge(ENGINE, case, device, LIMITS, oracle)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", MODELS, ids=str)
def test_model(case: ModelCase, device: str, oracle: Oracle) -> None:
    judge(WHOLE, case, device, (), oracle)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda x: f"{x.op}-{x.why}")
def test_limit_matches_a_case(limit: Limit) -> None:
    require_used(limit, CASES)


def test_every_converter_has_a_case() -> None:
    shown = {f"{c.domain}::{c.op}" if c.domain else c.op for c in CASES}
    assert set(TABLE.entries) <= shown.union(*(m.ops for m in MODELS))


def attributes_of_cases() -> dict[str, set[str]]:
    """For each operator the attributes that some case gives."""
    given: dict[str, set[str]] = {}
    for case in CASES:
        name = f"{case.domain}::{case.op}" if case.domain else case.op
        given.setdefault(name, set()).update(case.attrs)
    return given


def test_every_converter_with_attributes_has_a_case_with_some() -> None:
    """Of each attribute that a converter takes, or the test of it would be its default."""
    given = attributes_of_cases()
    shown = {name for model in MODELS for name in model.ops}
    missing = {}
    for name, versions in TABLE.entries.items():
        taken = {a for converter in versions.values() for a in converter.keywords}
        excused = {attribute for op, attribute in NO_ORACLE if op == name}
        untried = taken - given.get(name, set()) - excused - {"consumed_inputs"}
        if untried and name not in shown:
            missing[name] = sorted(untried)
    assert not missing


@pytest.mark.parametrize(("op", "attribute"), NO_ORACLE)
def test_what_has_no_oracle_is_needed(op: str, attribute: str) -> None:
    assert any(attribute in c.keywords for c in TABLE.entries[op].values())
    assert attribute not in attributes_of_cases().get(op, set()), "a case shows it"


def test_case_names_differ() -> None:
    require_distinct(CASES)
