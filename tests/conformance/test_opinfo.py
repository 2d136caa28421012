"""PyTorch's operator samples on builtin; what is not passed is listed with its reason."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.judging.judge import Verdict
from conformance.judging.record import PLAIN, with_gap
from conformance.judging.result import CRASH, MEMORY, PASS, SKIP, TIMEOUT
from conformance.oracles.oracle import Oracle, Refused
from conformance.processes.worker import Lost
from conformance.running.conform import conform
from conformance.running.suite import Crew, Item, Options, command
from conformance.suites import opinfo, opinfo_packs
from conformance.suites.opinfo import Sample
from conformance.suites.opinfo_gaps import GAPS, OpGap, gap
from conformance.suites.samples import OpInfo
from frontends.torch import TABLE
from nnadapter.commands import conforming
from nnir.errors import NNAdapterError, Unsupported
from nnir.model import Value

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
        seen = with_gap(Verdict(result.verdict, result.reason), known, must_fail=False)
        if seen.verdict not in PLAIN:
            found.append(result)
    return found


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.long
def test_float32(part: int, worker: Oracle) -> None:
    assert unexpected(opinfo_packs.results(worker, samples=2, part=(part, PARTS))) == []


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.long
def test_other_types(part: int, worker: Oracle) -> None:
    results = opinfo_packs.results(worker, dtypes=NARROW, samples=1, part=(part, PARTS))
    assert unexpected(results) == []


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.long
def test_special_values(part: int, worker: Oracle) -> None:
    results = opinfo_packs.results(worker, samples=1, part=(part, PARTS), special=1)
    assert unexpected(results, "special") == []


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.long
def test_open_sizes(part: int, worker: Oracle) -> None:
    results = opinfo.results(worker, samples=1, part=(part, PARTS), dynamic=True)
    assert unexpected(results, "dynamic") == []


@pytest.mark.parametrize("known", GAPS, ids=lambda g: f"{g.campaign}-{g.dtypes[0]}-{g.ops}")
def test_gap_is_one(known: OpGap, worker: Oracle) -> None:
    """Some sample fails, so that a gap that was closed does not stay listed."""
    options = {"special": {"special": 1}, "dynamic": {"dynamic": True}}.get(known.campaign, {})
    match = f"^({known.ops})$"
    results = opinfo.results(worker, known.device, known.dtypes, match, **options)
    assert any(r.verdict not in (PASS, SKIP) for r in results)


FEW = r"^(abs|neg|sin|cos|add|eq|zeros|unique|nonzero|nn\.functional\.rrelu)$"


def in_order(found: Iterator[Sample]) -> list[Sample]:
    return sorted(found, key=lambda s: (s.op, s.dtype, s.sample))


@pytest.mark.parametrize("bug", [None, "wrong", "refused"])
def test_packed_samples_are_judged_as_alone(
    bug: str | None, worker: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With cosines that are sines, or refused, in the same programs as what is right."""
    cosine = TABLE.find("aten.cos.default", 1)
    sine = TABLE.find("aten.sin.default", 1).function

    def refuse(self: Value) -> Value:
        raise Unsupported("no cosines today")

    if bug:
        monkeypatch.setattr(cosine, "function", sine if bug == "wrong" else refuse)
    programs: list[int] = []
    monkeypatch.setattr(worker, "ask", counting(worker.ask, programs))
    alone = in_order(opinfo.results(worker, match=FEW, samples=2))
    assert max(programs) == 1
    assert in_order(opinfo_packs.results(worker, match=FEW, samples=2)) == alone
    assert max(programs) == opinfo_packs.SIZE
    bad = {s.op for s in alone if s.verdict not in (PASS, SKIP)}
    assert bad == {"nn.functional.rrelu", *(["cos"] if bug else [])}


def counting(ask: Any, programs: list[int]) -> Any:
    """`ask`, which notes for how many samples."""

    def counted(head: dict[str, Any], arrays: list[np.ndarray]) -> list[np.ndarray]:
        programs.append(len(head.get("pack", [head])))
        found: list[np.ndarray] = ask(head, arrays)
        return found

    return counted


class Mute:
    """An oracle that raises what it is told for every sample."""

    def __init__(self, error: NNAdapterError | None) -> None:
        self.error = error

    def ask(self, head: dict[str, Any], arrays: list[np.ndarray]) -> list[np.ndarray]:
        if "list" in head:
            return [np.frombuffer(b"abs\nadd", np.uint8)]
        if self.error is not None:
            raise self.error
        return []


class Mutes(Crew):
    """Has one oracle."""

    def __init__(self, error: NNAdapterError | None) -> None:
        super().__init__(1.0, 1)
        self.mute = Mute(error)

    def oracle(self, module: str, python: str = "") -> Any:
        return self.mute


@pytest.mark.parametrize(
    ("error", "verdict", "reason"),
    [
        (Lost(CRASH, "it died"), CRASH, "it died"),
        (Lost(TIMEOUT, "it hangs"), TIMEOUT, "it hangs"),
        (Lost(MEMORY, "too much"), MEMORY, "too much"),
        (Refused("no such kernel"), SKIP, "no such kernel"),
        (None, SKIP, opinfo.NO_SAMPLE),
    ],
)
def test_what_pytorch_itself_does_is_a_result(
    error: NNAdapterError | None, verdict: str, reason: str
) -> None:
    suite = OpInfo(Options(suites=("opinfo",), samples=2), Mutes(error))
    first, _ = suite.items("torch")
    for device in ("builtin", "onnxruntime"):
        found = list(suite.run(first, device))
        assert [r.case for r in found] == ["abs-float32-0", "abs-float32-1"]
        assert {(r.verdict, r.reason) for r in found} == {(verdict, reason)}
    samples = list(opinfo.results(Mutes(error).oracle(""), match="abs", samples=1))
    assert samples == [Sample("abs", "float32", 0, verdict, reason)]


@pytest.mark.long
def test_the_printed_command_runs_that_case() -> None:
    """A precision that is not the default, with other options that decide what is run."""
    options = Options(
        suites=("opinfo",),
        devices=("builtin",),
        op="signbit",
        dtypes=("float16", "bfloat16"),
        samples=1,
        special=3,
        timeout=50.5,
    )
    whole = conform(options, jobs=1).results
    (same,) = [r for r in whole if "bfloat16" in r.case]
    item = Item(same.suite, same.frontend, same.op, "signbit-bfloat16")
    words = shlex.split(command(item, "builtin", options))
    given = conforming.options_of(conforming.conform.make_context("conform", words[2:]).params)
    (alone,) = conform(given, jobs=1).results
    assert len(whole) == 2
    assert replace(alone, seconds=0.0) == replace(same, seconds=0.0)
