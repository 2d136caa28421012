"""Every type rule against what its reference really returns, with sizes and with symbols."""

from __future__ import annotations

import pytest

from conformance.case import Case
from conformance.cases.nnir import CASES as DIRECT
from conformance.cases.nnir import DirectCase
from conformance.cases.onnx import CASES
from conformance.onnx_engine import convert, run_inputs
from conformance.rules import problem, traced
from nnir.check import check
from nnir.evaluate import Plan
from nnir.ops import OPERATORS


@pytest.mark.parametrize("case", [c for c in CASES if not c.raises], ids=str)
def test_onnx_case(case: Case) -> None:
    model = convert(case)
    check(model)
    for operation, arrays, results in traced(model, run_inputs(case)):
        assert problem(operation, arrays, results) is None


@pytest.mark.parametrize("case", DIRECT, ids=str)
def test_direct_case(case: DirectCase) -> None:
    model = case.model()
    check(model)
    before = [a.copy() for a in case.inputs]
    results = list(traced(model, case.inputs))
    for operation, arrays, outputs in results:
        assert problem(operation, arrays, outputs) is None
    if case.expected is not None:
        got = Plan(model).run(case.inputs)
        case.compare(got)
    assert all((a == b).all() for a, b in zip(before, case.inputs, strict=True)), "input changed"


def test_every_operator_has_a_case() -> None:
    reached = {c.operator.name for c in DIRECT}
    for case in CASES:
        if not case.raises:
            for operation in convert(case).operations:
                reached.add(operation.operator.name)
                reached.update(o.operator.name for m in operation.models for o in m.operations)
    assert not set(OPERATORS) - reached
