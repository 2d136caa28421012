"""PyTorch's operator samples on builtin; what is not passed is listed with its reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.oracle import Oracle
from conformance.suites import opinfo
from conformance.suites.opinfo import Sample
from conformance.suites.opinfo_gaps import GAPS, OpGap, gap

PARTS = 16
NARROW = ("float64", "float16", "bfloat16", "int64", "bool")


@pytest.fixture(scope="session")
def worker() -> Iterator[Oracle]:
    with Oracle(opinfo.WORKER, timeout=120) as oracle:
        yield oracle


def unexpected(results: Iterator[Sample], campaign: str = "") -> list[Sample]:
    """What goes wrong and is not listed, or is listed only as refused."""
    found = []
    for result in results:
        known = gap(result.op, "builtin", result.dtype, campaign)
        is_worse = result.verdict in ("wrong", "error") and not (known and known.wrong)
        if result.verdict != "pass" and (known is None or is_worse):
            found.append(result)
    return found


@pytest.mark.parametrize("part", range(PARTS))
def test_float32(part: int, worker: Oracle) -> None:
    assert unexpected(opinfo.results(worker, samples=2, part=(part, PARTS))) == []


@pytest.mark.parametrize("part", range(PARTS))
def test_other_types(part: int, worker: Oracle) -> None:
    results = opinfo.results(worker, dtypes=NARROW, samples=1, part=(part, PARTS))
    assert unexpected(results) == []


@pytest.mark.parametrize("part", range(PARTS))
def test_special_values(part: int, worker: Oracle) -> None:
    results = opinfo.results(worker, samples=1, part=(part, PARTS), special=1)
    assert unexpected(results, "special") == []


@pytest.mark.parametrize("part", range(PARTS))
def test_open_sizes(part: int, worker: Oracle) -> None:
    results = opinfo.results(worker, samples=1, part=(part, PARTS), dynamic=True)
    assert unexpected(results, "dynamic") == []


@pytest.mark.parametrize("known", GAPS, ids=lambda g: f"{g.campaign}-{g.dtypes[0]}-{g.ops}")
def test_gap_is_one(known: OpGap, worker: Oracle) -> None:
    """Some sample fails, so that a gap that was closed does not stay listed."""
    options = {"special": {"special": 1}, "dynamic": {"dynamic": True}}.get(known.campaign, {})
    match = f"^({known.ops})$"
    results = opinfo.results(worker, known.device, known.dtypes, match, **options)
    assert any(r.verdict != "pass" for r in results)
