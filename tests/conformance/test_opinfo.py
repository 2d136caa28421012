"""PyTorch's operator samples on builtin; what is not passed is listed with its reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.oracle import Oracle
from conformance.suites import opinfo
from conformance.suites.opinfo import Result
from conformance.suites.opinfo_gaps import GAPS, OpGap, gap

PARTS = 16
NARROW = ("float64", "float16", "bfloat16", "int64", "bool")


@pytest.fixture(scope="session")
def worker() -> Iterator[Oracle]:
    with Oracle(opinfo.WORKER, timeout=120) as oracle:
        yield oracle


def unexpected(results: Iterator[Result], device: str) -> list[Result]:
    """What goes wrong and is not listed, or is listed only as refused."""
    found = []
    for result in results:
        known = gap(result.op, device, result.dtype)
        is_worse = result.verdict in ("wrong", "crash") and not (known and known.wrong)
        if result.verdict != "pass" and (known is None or is_worse):
            found.append(result)
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_float32(part: int, worker: Oracle) -> None:
    results = opinfo.results(worker, samples=2, part=(part, PARTS))
    assert unexpected(results, "builtin") == []


@pytest.mark.parametrize("part", range(PARTS))
def test_other_types(part: int, worker: Oracle) -> None:
    results = opinfo.results(worker, dtypes=NARROW, samples=1, part=(part, PARTS))
    assert unexpected(results, "builtin") == []


@pytest.mark.parametrize("known", GAPS, ids=lambda g: g.ops)
def test_gap_is_one(known: OpGap, worker: Oracle) -> None:
    """Some sample fails, so that a gap that was closed does not stay listed."""
    dtypes = opinfo.DTYPES if known.dtype is None else (known.dtype,)
    match = f"^({known.ops})$"
    results = opinfo.results(worker, known.device or "builtin", dtypes, match)
    assert any(r.verdict != "pass" for r in results)
