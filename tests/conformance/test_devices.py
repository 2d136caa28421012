"""Every case of every frontend on every device, and the ledger.

What a device cannot do it refuses; what it does not refuse agrees with the origin framework; and
what passes, is refused or is decomposed is what the ledger says, in both directions.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance import ledger
from conformance.judging.record import PLAIN
from conformance.judging.result import GOOD, PASS, REFUSED, WRONG, Result
from conformance.running.conform import conform
from conformance.running.suite import Options, missing
from conformance.suites import processors
from conformance.suites.operators import book, operator_of

from ..drawing import draw_cases, seed
from .judging import DEVICES, kept

KERNELS = 1000
UNSEEN = ("nnir", "onnx", "torch", "tensorflow", "tflite", "paddle")
"""Frontends with rows that ran on one kind of processor only."""


def must_pass(frontend: str, result: Result) -> bool:
    """Whether a result is of a device that refuses nothing, unless its sizes are open.

    Rows of the standard's own operators and of NNRt's have every element type, which engines have
    not.
    """
    _, case = book(frontend).cases[result.case]
    is_otherwise = getattr(case, "is_open", False) or getattr(case, "is_turned", False)
    devices = ("builtin",) if frontend in ("nnir", "nnrt") else DEVICES
    return result.device in devices and not is_otherwise


def of_kernels(frontend: str, found: list[Result]) -> list[Result]:
    """Results of kernels that were never seen: on another kind of processor than the ledgers were
    made on, an engine may be wrong, or do otherwise, and a framework may write another graph, once
    in a thousand times."""
    if frontend not in UNSEEN or processors.kind() == ledger.PROCESSOR.read_text().strip():
        return []
    others = [
        r
        for r in found
        if (r.device != "builtin" or r.verdict == PASS) and is_otherwise(frontend, r)
    ]
    return others if len(others) <= max(1, len(found) // KERNELS) else []


def is_otherwise(frontend: str, result: Result) -> bool:
    """Whether a device is wrong, or does not do what the ledger says; a crash is never excused."""
    if result.verdict not in (PASS, REFUSED):
        return result.verdict == WRONG
    return bool(ledger.differences(kept(frontend), [result], is_whole=False))


@pytest.mark.parametrize("frontend", ledger.FRONTENDS)
def test_every_case_does_what_the_ledger_says(frontend: str, pytestconfig: pytest.Config) -> None:
    """On all devices in one run, so that the origin is asked once of each case.

    A ledger of the code that is here was written from all cases: some are enough to know that this
    machine does the same."""
    if (why := missing(frontend)) is not None:
        pytest.skip(why)
    one_in = draw_cases(frontend, pytestconfig)
    devices = ledger.devices_of(frontend)
    options = Options(frontends=(frontend,), devices=devices, yardstick=False, fresh=True)
    options = replace(options, one_in=one_in, seed=seed())
    found = conform(options, jobs=1).results
    unseen = of_kernels(frontend, found)
    found = [r for r in found if r not in unseen]
    wrong = [r for r in found if r.verdict not in (PLAIN if must_pass(frontend, r) else GOOD)]
    assert not wrong, [f"{r.case} on {r.device}: {r.verdict} {r.reason[:200]}" for r in wrong[:20]]
    differences = ledger.differences(kept(frontend), found, is_whole=one_in == 1)
    assert not differences, [*differences[:20], ledger.REGENERATE.format(frontend)]
    if unseen:
        told = [f"{r.case} on {r.device}" for r in unseen]
        pytest.skip(f"this processor has other kernels than those that were looked at: {told}")


@pytest.mark.parametrize("frontend", ledger.FRONTENDS)
def test_the_ledger_has_these_cases(frontend: str) -> None:
    cases: dict[str, list[str]] = {}
    for name, (_, case) in book(frontend).cases.items():
        op = operator_of(case) if frontend == "onnx" else case.op
        cases.setdefault(op, []).append(name)
    mine = {op: (len(names), ledger.digest_of(names)) for op, names in cases.items()}
    theirs = {op: (rows.count, rows.digest) for op, rows in kept(frontend).items()}
    assert mine == theirs, ledger.REGENERATE.format(frontend)


@pytest.mark.parametrize("frontend", ledger.FRONTENDS)
def test_a_ledger_is_read_as_it_is_written(frontend: str) -> None:
    text = ledger.path_of(frontend).read_text()
    assert ledger.text_of(ledger.parse(text), frontend) == text
    devices = {d for rows in kept(frontend).values() for d in rows.usual}
    assert devices - {ledger.STANDARD} <= set(ledger.devices_of(frontend))


def test_a_case_that_is_translated_otherwise_differs() -> None:
    def run(case: str, translation: str) -> list[Result]:
        devices = ("builtin", "litert")
        one = Result("cases", "onnx", "Op", case, "", PASS, translation=translation)
        return [replace(one, device=d) for d in devices]

    found = ledger.make([*run("Op-a", "5b21f"), *run("Op-b", "0c9de"), *run("Op-c", "")], {})
    kept = ledger.parse(ledger.text_of(found, "onnx"))
    assert kept["Op"].translation("Op-b") == "0c9de"
    assert not kept["Op"].translation("Op-c")
    assert not ledger.differences(kept, run("Op-a", "5b21f"), is_whole=False)
    assert not ledger.differences(kept, run("Op-a", ""), is_whole=False)  # it was not converted
    told = ledger.differences(kept, run("Op-a", "0c9de"), is_whole=False)
    assert told == ["Op-a: is translated otherwise, 0c9de for 5b21f"]
