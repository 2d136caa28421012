"""Every TensorFlow case on every device, against TensorFlow's own output."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.case import Case, Limit
from conformance.cases.tensorflow import CASES, LIMITS
from conformance.oracle import Oracle
from conformance.tensorflow_engine import check, run
from frontends.tensorflow import TABLE

DEVICES = ("builtin", "onnxruntime")


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle("conformance.oracles.tensorflow", timeout=120) as worker:
        yield worker


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
    missing = set(TABLE.entries) - {c.op for c in CASES}
    assert missing == set(IN_MODELS)


IN_MODELS = {name for name in TABLE.entries if name.startswith(("TensorList", "EmptyTensorList", "TensorArray"))}
IN_MODELS |= {"Const", "If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"}
"""What one operator cannot show: see tests/frontends/test_tensorflow_models.py."""


def test_case_names_differ() -> None:
    names = [str(c) for c in CASES]
    assert sorted(names) == sorted(set(names))
