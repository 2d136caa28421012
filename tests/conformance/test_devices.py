"""Every case of every frontend on the devices beside builtin and onnxruntime, and the ledger.

What a device cannot do it refuses; what it does not refuse agrees with the origin framework; and
what passes, is refused or is decomposed is what the ledger says, in both directions.
"""

from __future__ import annotations

import pytest

from conformance import ledger
from conformance.judging.result import GOOD, REFUSED
from conformance.running.conform import conform
from conformance.running.suite import Options, missing
from conformance.suites.operators import book, operator_of

from .judging import DEVICES, OTHERS, kept


@pytest.mark.parametrize("frontend", ledger.FRONTENDS)
def test_every_case_does_what_the_ledger_says(frontend: str) -> None:
    """On all devices in one run, so that the origin is asked once of each case."""
    if (why := missing(frontend)) is not None:
        pytest.skip(why)
    options = Options(frontends=(frontend,), devices=OTHERS, yardstick=False, packed=True)
    found = conform(options, jobs=1).results
    wrong = [r for r in found if r.verdict not in {*GOOD, REFUSED}]
    assert not wrong, [f"{r.case} on {r.device}: {r.verdict} {r.reason[:200]}" for r in wrong[:20]]
    differences = ledger.differences(kept(frontend), found)
    assert not differences, [*differences[:20], ledger.REGENERATE.format(frontend)]


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
    assert devices <= set(ledger.DEVICES) == {*DEVICES, *OTHERS}
