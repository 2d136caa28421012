"""The official ONNX backend suite on every device; what is not passed is listed with its reason."""

from __future__ import annotations

import pytest

import nnadapter as nna
from conformance.judging.judge import Verdict
from conformance.judging.record import with_gap
from conformance.judging.result import CRASH, ERROR, LIMIT, PASS, REFUSED, SKIP, STALE, WRONG
from conformance.suites.onnx_backend import agree, cases
from conformance.suites.onnx_gaps import Gap, gap
from nnir.errors import NNAdapterError, summary

DEVICES = ("builtin", "onnxruntime")
CASES = cases()


def outcome(name: str, device: str) -> str | None:
    """What goes wrong with a case, or None."""
    case = CASES[name]
    data, sets = case.load()
    try:
        program = nna.compile(nna.load(data), device=device)
        for inputs, want in sets:
            problem = agree(case, want, program(*inputs))
            if problem is not None:
                return f"wrong: {problem}"
    except NNAdapterError as error:
        return f"{type(error).__name__}: {summary(error)}"
    return None


def problem(name: str, device: str) -> str | None:
    """What a case does otherwise than pass, or than what is listed of it."""
    known = gap(name, device)
    found = outcome(name, device)
    if known is None:
        return found
    if found is None and known.by_chance:
        return None
    if found is None:
        return f"passes, but is listed as: {known.why}"
    return found if found.startswith("wrong") and not known.wrong else None


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert {d: what for d in DEVICES if (what := problem(name, d)) is not None} == {}


@pytest.mark.parametrize("is_wrong", [False, True])
def test_a_gap_excuses_refusals_only(is_wrong: bool) -> None:
    """And wrong numbers where it says so: never an exception that is not ours, nor a crash."""
    known = Gap("test_.*", "why", wrong=is_wrong)
    for verdict, expected in (
        (REFUSED, LIMIT),
        (WRONG, LIMIT if is_wrong else WRONG),
        (ERROR, ERROR),
        (CRASH, CRASH),
        (SKIP, SKIP),
        (PASS, STALE),
    ):
        assert with_gap(Verdict(verdict), known).verdict == expected
        assert with_gap(Verdict(verdict), None).verdict == verdict
    assert with_gap(Verdict(PASS), known, must_fail=False).verdict == PASS
