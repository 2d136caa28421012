"""Every NNRt case through the frontend and as the device runs it, against its origin's output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from conformance.case import Case
from conformance.cases.nnrt import CASES, LIMITS
from conformance.engines.nnrt import ENGINE
from conformance.judging.compare import compare
from conformance.judging.result import REFUSED
from conformance.oracles.nnrt_origins import TENSORFLOW, origin_of
from conformance.oracles.oracle import Oracle
from frontends.nnrt import TABLE
from nnir.errors import NNAdapterError
from nnir.evaluate import evaluate
from nnir.formats.nnrt.files import read
from nnir.formats.nnrt.operations import OPERATIONS
from nnir.recipes.nnrt.assembly import assemble

from .judging import DEVICES, OTHERS, judge, kept, require_distinct, worker_of


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    yield from worker_of("nnrt")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, oracle: Oracle) -> None:
    judge(ENGINE, case, LIMITS, oracle, may_refuse=True)


@pytest.mark.parametrize("case", [c for c in CASES if not c.raises], ids=str)
def test_the_assembly_means_the_same(case: Case, oracle: Oracle) -> None:
    answer = ENGINE.ask(case, oracle)
    written = read(answer.files[0])
    model = assemble(written)
    inputs = ENGINE.inputs(case, model)
    found = evaluate(model, inputs)
    assert len(found) == len(answer.results)
    for mine, theirs in zip(found, answer.results, strict=True):
        assert compare(mine, theirs, case.tolerance(theirs.dtype)).problem is None
    for mine, other in zip(found, evaluate(ENGINE.model(case, answer), inputs), strict=True):
        np.testing.assert_allclose(mine, other, 1e-5, 1e-6)


def test_limits_match_cases() -> None:
    ran = [(c, d) for c in CASES for d in (*DEVICES, *OTHERS)]
    assert [x for x in LIMITS if not any(x.matches(c, d) for c, d in ran)] == []


def test_every_operation_has_cases_that_run_and_one_that_fails_or_has_no_parameters() -> None:
    assert set(TABLE.entries) == set(OPERATIONS)
    runs = Counter(c.op for c in CASES if not c.raises)
    assert [op for op in OPERATIONS if not runs[op]] == []
    told = {(c.op, name) for c in CASES for name in c.attrs}
    assert [
        (d.name, p.name)
        for d in OPERATIONS.values()
        for p in d.parameters
        if (d.name, p.name) not in told
    ] == []


def test_every_operation_names_who_it_is_compared_with() -> None:
    assert set(map(origin_of, OPERATIONS)) == {
        *("PyTorch", "TensorFlow", "LiteRT", "PyTorch, TensorFlow (SAME)")
    }
    assert set(OPERATIONS) >= TENSORFLOW


def test_case_names_differ() -> None:
    require_distinct(CASES)


def test_the_device_has_its_own_operations() -> None:
    """By the ledger, which the cases are held to on this device too."""
    rows = kept("nnrt")
    refused = {op for op in rows if rows[op].usual.get("nnrt", "").startswith(REFUSED)}
    assert refused == {"DETECTION_POST_PROCESS", "CONSTANT_OF_SHAPE"}


def test_errors_are_ours(oracle: Oracle) -> None:
    for case in CASES:
        if case.raises is not None:
            with pytest.raises(NNAdapterError):
                ENGINE.refused(case, "builtin", oracle)
