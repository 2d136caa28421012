"""Versions are compared case by case; rounding is told from real changes; the page says so."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from conformance.case import EXACT, ROUNDS, Case, Const, Tolerance
from conformance.engines import tensorflow
from conformance.engines.named import NamedEngine
from conformance.engines.onnx import ENGINE
from conformance.judging.result import CRASH, PASS, SKIP, TIMEOUT, Result
from conformance.oracles.oracle import Oracle, Refused
from conformance.reports.against import load
from conformance.running.suite import Crew
from conformance.version_differences import __main__ as command
from conformance.version_differences import classify as kinds
from conformance.version_differences import findings, tracks, words
from conformance.version_differences.asking import Programs, Said, Voice, ask_all, open_crew
from conformance.version_differences.classify import Kind, classify
from conformance.version_differences.findings import Findings, Pair, Version, compare_pair
from conformance.version_differences.page import NOTE, PAGE, anchor, heading, page, totals
from conformance.version_differences.programs import write_program
from conformance.version_differences.tracks import TRACKS, Question, Track
from nnir.errors import BadInput, DeviceError

NAN, INF = np.nan, np.inf


def said(*values: object, dtype: str = "float32") -> Said:
    """One array as an answer."""
    return Said((np.array(values, dtype),))


def refused(reason: str = "no kernel") -> Said:
    """No answer."""
    return Said(verdict=SKIP, reason=f"the origin framework refuses: {reason}")


def row(name: str, op: str = "Neg", tol: Tolerance = EXACT) -> Question:
    """A question about nothing in particular."""
    return Question("onnx", op, name, ENGINE, Case(op, (np.ones(2, np.float32),), tol=tol))


@pytest.mark.parametrize(
    ("before", "after", "tolerance", "kind"),
    [
        (said(1, 2), said(1, 2), EXACT, kinds.SAME),
        (said(1, NAN), said(1, -NAN), EXACT, kinds.SAME),
        (said(1, 2), said(1, 2 + 2**-21), EXACT, kinds.ROUNDING),
        (said(1, 2), said(1, 2 + 2**-18), EXACT, kinds.VALUES),
        (said(1, 2), said(1, 2 + 2**-18), ROUNDS, kinds.ROUNDING),
        (said(1000, 0), said(1000, 2e-4), ROUNDS, kinds.ROUNDING),
        (said(1000, 0), said(1000, 2e-4), EXACT, kinds.VALUES),
        (said(1000, 0), said(1000, 1), ROUNDS, kinds.VALUES),
        (said(1, INF), said(1, NAN), ROUNDS, kinds.VALUES),
        (said(1, NAN), said(1, 2), ROUNDS, kinds.VALUES),
        (said(0.0, 1), said(-0.0, 1), ROUNDS, kinds.SIGNS),
        (said(0.0, 1), said(-0.0, 3), ROUNDS, kinds.VALUES),
        (said(5, 6, dtype="int64"), said(5, 7, dtype="int64"), ROUNDS, kinds.VALUES),
        (said(5, dtype="int64"), said(5, dtype="int32"), EXACT, kinds.TYPE),
        (said(1, 2), said(1, 2, 3), EXACT, kinds.SHAPE),
        (said(1), Said((np.ones(1), np.ones(1))), EXACT, kinds.SHAPE),
        (refused(), said(1), EXACT, kinds.TAKEN),
        (said(1), refused(), EXACT, kinds.REFUSED),
        (refused("so"), refused("thus"), EXACT, kinds.SAME),
        (said(1), Said(verdict=CRASH), EXACT, kinds.DIES),
        (Said(verdict=CRASH), refused(), EXACT, kinds.LIVES),
    ],
)
def test_rounding_is_told_from_other_values(
    before: Said, after: Said, tolerance: Tolerance, kind: str
) -> None:
    assert classify(before, after, Case("Neg", (), tol=tolerance)).name == kind


def test_the_gravest_result_counts_and_is_named() -> None:
    before = Said((np.ones(2, np.float32), np.array([[1, 2], [3, 4]], np.float32)))
    after = Said((np.ones(2, np.float32) + 2**-23, np.array([[1, 2], [3, 7]], np.float32)))
    found = classify(before, after, Case("Split", ()))
    assert (found.name, found.output, found.index) == (kinds.VALUES, 1, (1, 1))


def test_complex_zeros_have_two_signs() -> None:
    before, after = said(1, 0j, dtype="complex64"), said(1, complex(0, -0.0), dtype="complex64")
    assert classify(before, after, Case("Neg", ())) == Kind(kinds.SIGNS, 0, (1,))


def result(question: Question, answer: Said) -> Result:
    """An answer in the report of a run."""
    key = ("cases", question.frontend, question.op, question.name, "origin")
    return Result(*key, answer.verdict, answer.reason, answer=answer.digest)


def make_pair() -> Pair:
    """Two versions and a present one, with a change of each kind."""
    rows = {
        "equal": (said(1), said(1), said(1)),
        "larger": (said(1), said(2), said(2)),
        "back": (said(1), said(2), said(1)),
        "new": (refused(), said(1), said(1)),
        "noise": (said(1), said(1 + 2**-23), said(1)),
        "never": (refused(), refused(), refused()),
        "restless": (said(1), said(4), said(4)),
    }
    ops = {"back": "Abs", "new": "Gelu", "never": "Det"}
    asked = {name: row(name, ops.get(name, "Neg")) for name in rows}
    answers = tuple({asked[n].key: s[k] for n, s in rows.items()} for k in range(3))
    results = tuple({asked[n].key: result(asked[n], s[k]) for n, s in rows.items()} for k in (0, 1))
    answers[1][asked["restless"].key] = said(5)
    changed = [asked[n] for n in rows if n not in ("equal", "never")]
    return compare_pair(("1.0", "2.0"), results, answers, changed)


def test_a_pair_has_what_changed_by_operator_and_kind() -> None:
    pair = make_pair()
    assert (pair.cases, pair.operators, pair.refused) == (7, 4, 1)
    assert {(c.op, c.kind, c.case, c.present) for c in pair.changes} == {
        ("Neg", kinds.VALUES, "larger", "after"),
        ("Abs", kinds.VALUES, "back", "before"),
        ("Gelu", kinds.TAKEN, "new", "after"),
    }
    assert pair.whole == ("Gelu",)
    assert pair.rounding == {"Neg": (1, 1.0)}
    assert pair.unstable == ("restless",)
    assert pair.operators_of(*kinds.REAL) == ["Abs", "Neg"]


@pytest.fixture
def found() -> Findings:
    """Findings with a version that is missing."""
    versions = (
        Version("1.0", {"python": "3.11", "tiny": "1.0"}),
        Version("1.5", missing="there is no tiny==1.5 for this Python"),
        Version("2.0"),
        Version("3.0", {"numpy": "2.4.6"}),
    )
    pairs = (make_pair(), Pair("2.0", "3.0", 7, 3, 0, ()))
    return Findings("onnx", "Tiny", "the cases of `onnx`", versions, pairs)


def test_the_page_says_versions_answers_and_which_is_the_present_one(found: Findings) -> None:
    text = page([found])
    assert NOTE in text
    assert "1.0 (python 3.11); 2.0; 3.0 (numpy 2.4.6)." in text
    assert "- **1.5 was not asked**: there is no tiny==1.5 for this Python" in text
    assert "| Tiny | [1.0 → 2.0](#tiny-10--20) | 7 | 4 | 2 | 1 | 1 | 0 |" in text
    assert "| operator | what | asked | 1.0 | 2.0 | 3.0, the present one | cases |" in text
    assert (
        "| `Abs` | other values | `Abs(float32 [1.0, 1.0])` | `float32 [1.0]` | `float32 [2.0]` "
        "| as 1.0 | 1 |"
    ) in text
    assert "Whole operators, with their numbers of cases: `Gelu`." in text
    assert "Rounds otherwise (1 operator)</summary>" in text
    assert "`Neg` (1; 1)" in text
    assert "Otherwise from time to time, and not counted: `restless`." in text
    assert "No operator answers otherwise." in text
    assert totals([found])[0] == "Tiny 1.0 → 2.0: 2 operators answer otherwise, 1 round otherwise"
    assert f"(#{anchor(heading(found, found.pairs[0]))})" in text


def test_findings_are_kept(found: Findings, tmp_path: Path) -> None:
    path = tmp_path / "findings.json"
    findings.write([found], path)
    (again,) = findings.read(path)
    assert again == found
    assert page([again]) == page([found])


def test_the_page_is_printed_from_what_is_kept() -> None:
    kept = findings.read()
    assert PAGE.read_text() == page(kept), "python -m conformance.version_differences --print"
    assert findings.PATH.stat().st_size < 1_000_000
    assert [f.name for f in kept] == [t.name for t in TRACKS if t.name in {f.name for f in kept}]
    for one in kept:
        asked = [v.number for v in one.versions if not v.missing]
        assert [(p.older, p.newer) for p in one.pairs] == list(pairwise(asked))
        assert all(number in PAGE.read_text() for number in asked)


@pytest.mark.parametrize(
    ("verdict", "reason", "text"),
    [
        (CRASH, "the worker of x died: SIGSEGV; no message", "dies: SIGSEGV"),
        (TIMEOUT, "the worker of x hangs", "never ends: the worker of x hangs"),
        (SKIP, "Exception from src/core.cpp:67: Exception from a.cpp:1: no", "refuses: no"),
        (SKIP, "Fail: void onnxruntime::f(const X&) const [with T = int] no", "refuses: Fail: no"),
    ],
)
def test_what_is_no_answer_is_told_in_a_few_words(verdict: str, reason: str, text: str) -> None:
    assert words.why_not(Said(verdict=verdict, reason=reason)) == text


def test_cases_are_shown_in_a_few_words() -> None:
    large = np.arange(12, dtype=np.float32).reshape(3, 4)
    kind = Kind(kinds.VALUES, 0, (2, 1))
    case = Case("Clip", (large, None, Const(np.float32(NAN))), {"axis": 1}, opset=9)
    shown = "Clip(float32[3, 4] with 9.0 at [2, 1], None, float32 nan, axis=1), version 9"
    assert words.show_case(case, kind) == shown
    assert words.show_said(Said((large,)), kind) == "float32[3, 4] with 9.0 at [2, 1]"
    assert words.show_said(Said((large,)), Kind(kinds.SHAPE)) == "float32[3, 4] 0.0, 1.0 ..."
    assert words.show_said(refused("no"), kind) == "refuses: no"
    slots = Case("relu", ({"X": np.float32([1, 2])},))
    assert words.show_case(slots, kind) == "relu(X=float32 [1.0, 2.0])"
    assert len(words.show_case(Case("Long", (), {"a": "b" * 999}), kind)) == words.LONGEST


TINY = Track("onnx", "ONNX", (), ("onnx",), oracle="reference")


def voice(track: Track, monkeypatch: pytest.MonkeyPatch, crew: Crew, *ops: str) -> Voice:
    """The present version, asked a few operators."""
    everything = tracks.questions

    def few(track: Track, frontend: str) -> Iterator[Question]:
        return (q for q in everything(track, frontend) if q.op in ops)

    monkeypatch.setattr("conformance.version_differences.asking.questions", few)
    return Voice(track, "1.0", sys.executable, Programs(track.device, crew))


def test_two_runs_of_one_version_differ_in_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NNADAPTER_CACHE", str(tmp_path))
    with open_crew(is_kept=False) as crew:
        asked = voice(TINY, monkeypatch, crew, "Celu", "Sign")
        found = findings.find(TINY, [asked, replace(asked, version="2.0")], [], [].append)
    (pair,) = found.pairs
    assert pair.cases > 4
    assert (pair.changes, pair.rounding, pair.unstable, pair.refused) == ((), {}, (), 0)
    report = load(tmp_path / "version_differences" / "onnx-2.0.json")
    assert report.environment["onnx"] == found.versions[-1].beside["onnx"]
    assert {r.verdict for r in report.results} == {PASS}
    assert all(r.answer for r in report.results)


@pytest.mark.parametrize(
    ("name", "op", "module"),
    [
        ("onnxruntime", "Celu", "onnxruntime"),
        ("openvino", "Celu", "openvino"),
        ("litert", "ELU", "ai_edge_litert"),
    ],
)
def test_engines_run_the_programs_of_cases(
    name: str, op: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    monkeypatch.setenv("NNADAPTER_CACHE", str(tmp_path))
    track = next(t for t in TRACKS if t.name == name)
    with open_crew(is_kept=False) as crew:
        asked = voice(track, monkeypatch, crew, op)
        run = ask_all(asked, [].append)
        questions = {q.key: q for q in asked.questions}
        passing = [r for r in run.results if r.verdict == PASS]
        assert passing
        assert all(r.verdict in (PASS, SKIP) for r in run.results)
        question = questions[passing[0].frontend, passing[0].case]
        engine = question.engine
        want = engine.ask(question.case, crew.oracle(engine.worker)).results
        got = asked.ask(question, crew, is_kept=False).arrays
    assert [a.shape for a in got] == [a.shape for a in want]
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("case", "opset"),
    [
        (Case("Elu", (np.ones(2, np.float32),)), 7),
        (Case("Relu", (np.ones(2, np.int32),)), 14),
        (Case("LayerNormalization", (np.ones((2, 2), np.float32), np.ones(2, np.float32))), 17),
        (Case("Softmax", (np.ones((2, 2), np.float32),)), 13),
        (Case("Softmax", (np.ones((2, 2), np.float32),), opset=11), 7),
    ],
    ids=["any", "a type that came later", "an operator that came later", "a default", "named"],
)
def test_a_node_is_written_for_the_oldest_versions_that_know_it(case: Case, opset: int) -> None:
    onnx = pytest.importorskip("onnx")
    question = Question("onnx", case.op, "plain", ENGINE, case)
    with open_crew(is_kept=False) as crew:
        written = write_program(question, "onnxruntime", crew)
    model = onnx.ModelProto.FromString(written.blob)
    assert [o.version for o in model.opset_import] == [opset]


def test_other_domains_need_no_new_operators_of_onnx() -> None:
    onnx = pytest.importorskip("onnx")
    case = Case("Binarizer", (np.ones(2, np.float32),), {"threshold": 1.0}, domain="ai.onnx.ml")
    question = Question("onnx", "ai.onnx.ml::Binarizer", "plain", ENGINE, case)
    with open_crew(is_kept=False) as crew:
        written = write_program(question, "onnxruntime", crew)
    model = onnx.ModelProto.FromString(written.blob)
    assert {o.domain: o.version for o in model.opset_import} == {"": 7, "ai.onnx.ml": 1}


def test_versions_that_are_not_there_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str, say: object) -> Path:
        raise DeviceError(f"there is no {text} for this Python")

    heard: list[object] = []

    def listen(track: Track, voices: list[Voice], missing: list[Version], say: object) -> Findings:
        heard.extend([[v.version for v in voices], missing])
        return Findings(track.name, track.title, "", (), ())

    monkeypatch.setattr(command, "make_environment", refuse)
    monkeypatch.setattr(findings, "find", listen)
    command.find(replace(TINY, versions=("0.1",)))
    missing = Version("0.1", missing="there is no onnx==0.1 for this Python")
    assert heard == [[command.installed_version(TINY)], [missing]]


def test_a_version_that_does_not_open_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho 'ImportError: no such name' >&2\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setattr(command, "make_environment", lambda *_: script)
    monkeypatch.setattr(findings, "find", lambda track, voices, missing, say: missing)
    (missing,) = command.find(replace(TINY, versions=("0.1",)))
    assert (missing.number, "ImportError: no such name" in missing.missing) == ("0.1", True)


def test_tracks_are_chosen() -> None:
    assert [t.name for t in command.choose([], [])] == [t.name for t in TRACKS]
    (chosen,) = command.choose([], ["torch==2.7.0", "torch==2.8.0"])
    assert (chosen.name, chosen.versions) == ("torch", ("2.7.0", "2.8.0"))
    both = command.choose(["onnx"], ["torch==2.7.0"])
    assert [t.name for t in both] == ["onnx", "torch"]
    with pytest.raises(BadInput, match="'torch' is not NAME==VERSION"):
        command.choose([], ["torch"])
    with pytest.raises(BadInput, match="no environment of 'jax'"):
        command.choose([], ["jax==1.0"])


def test_the_command_checks_the_page_and_says_what_is_wrong() -> None:
    assert CliRunner().invoke(command.main, ["--check"]).exit_code == 0
    done = CliRunner().invoke(command.main, ["--version", "torch"])
    assert done.exit_code == 1
    assert "'torch' is not NAME==VERSION" in done.stderr


def test_old_paddle_has_the_legacy_cases_alone() -> None:
    track = next(t for t in TRACKS if t.name == "paddle")
    assert track.frontends_of("2.6.2") == ("paddle-legacy",)
    assert track.frontends_of("3.0.0") == ("paddle", "paddle-legacy")


def test_what_has_no_answer_is_not_asked() -> None:
    track = next(t for t in TRACKS if t.name == "torch")
    asked = list(tracks.questions(track, "torch"))
    assert len(asked) > 3000
    assert all(isinstance(q.engine, NamedEngine) for q in asked)
    assert not any(q.case.raises or q.case.random for q in asked)


@pytest.mark.long
def test_an_argument_that_a_version_does_not_have_is_named() -> None:
    if find_spec("tensorflow") is None:
        pytest.skip("tensorflow is not installed")
    case = Case("Relu", (np.ones(2, np.float32),), {"policy": "DEFAULT"})
    with (
        Oracle(tensorflow.ENGINE.worker) as oracle,
        pytest.raises(Refused, match="unexpected arguments policy"),
    ):
        tensorflow.ENGINE.ask(case, oracle)
