"""Reports of a run that is made up: JUnit, the comparison of two runs, what results come to."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from conformance.judging.result import GOOD, LIMIT, PASS, SKIP, VERDICTS, Result, Run
from conformance.reports import against, junit, summary
from nnir.errors import BadFile
from nnir.errors import summary as one_line

OPS = {
    "onnx": ("Relu", "Conv", "Gemm", "ReduceSum", "LeakyRelu", "Resize", "GRU", "TopK", "Erf"),
    "torch": ("aten.relu.default", "aten.conv2d.default", "aten.xlogy.Tensor", "aten.std_mean.dim"),
    "tensorflow": ("Relu", "Conv2D", "MatMul", "LeakyRelu", "FusedBatchNormV3", "Erf"),
    "tflite": ("RELU", "CONV_2D", "FULLY_CONNECTED", "LOGISTIC", "RESIZE_BILINEAR"),
    "paddle": ("relu", "conv2d", "matmul", "lerp", "qr"),
    "paddle-legacy": ("relu", "pool2d", "elementwise_add", "yolo_box"),
}
DEVICES = ("builtin", "onnxruntime")
SUITES = ("cases", "onnx-backend", "opinfo", "models", "fuzz")
DTYPES = ("float32", "float16", "bfloat16", "float64", "int64")
WHYS = ("plain", "nan stays nan", "a negative slope", "zero size", "rank 0", "keep_dims=True")
REASONS = {
    LIMIT: ("the kernel of onnxruntime rounds half away from zero", "no kernel for bfloat16"),
    SKIP: ("the origin has no answer", "needs a GPU"),
    "wrong": ("3 of 24 elements differ, worst at [1, 2]: 0.25 instead of 0.2500001",),
    "refused": ("ReduceSum needs constant axes\nin ONNX node ReduceSum 'r_1'",),
    "error": ("IndexError: tuple index out of range",),
    "stale": ("the limit 'no kernel for bfloat16' lists this, but it agrees",),
    "crash": ("the worker died of signal 11",),
    "timeout": ("took longer than 20 s",),
    "memory": ("took more than 4 GiB",),
}
RARE = [v for v in VERDICTS if v not in (PASS, LIMIT, SKIP)]


def make_run(count: int = 600, failing: int = 4) -> Run:
    """A run of all verdicts; `failing` results in a hundred fail."""
    run = Run(
        options={"frontends": ["onnx", "torch"], "jobs": 2, "seed": 0},
        environment={"python": "3.11.2", "numpy": "2.4.6", "system": "Linux x86_64"},
        skipped=[{"device": "openvino", "count": 300, "reason": "openvino is not installed"}],
        seconds=201.5,
    )
    places = itertools.cycle(itertools.product(OPS, DEVICES))
    for k, (frontend, device) in zip(range(count), places, strict=False):
        op = OPS[frontend][k // 12 % len(OPS[frontend])]
        dtype = DTYPES[k // 5 % len(DTYPES)]
        base = Result(
            suite=SUITES[k // 24 % len(SUITES)],
            frontend=frontend,
            op=op,
            case=f"{op}-{dtype}-{WHYS[k % len(WHYS)]} {k}",
            device=device,
            verdict=PASS,
            seconds=0.001 * (k * 7919 % 997),
            dtype=dtype,
        )
        run.results.append(judged(base, k, failing))
    return run


def judged(base: Result, k: int, failing: int) -> Result:
    """A result with the verdict of its number and what belongs to it."""
    draw = Random(k).random() * 100
    ulps = (0.0, 0.0, 0.5, 1.0, 3.0, 0.0, 12.0)[k % 7]
    if draw < failing:
        return failed(base, k)
    if draw < failing + 5:
        verdict = LIMIT if k % 2 else SKIP
        reasons = REASONS[verdict]
        return replace(base, verdict=verdict, reason=reasons[k // 7 % len(reasons)])
    if base.dtype.startswith("int"):
        return base
    return replace(base, max_ulp=ulps, error=ulps / 2, yardstick=(0.5, 1.0, 0.0)[k % 3])


def failed(base: Result, k: int) -> Result:
    verdict = RARE[k // 6 % len(RARE)] if k % 2 else "wrong"
    name = f"{base.frontend}/{base.case}"
    result = replace(
        base,
        verdict=verdict,
        reason=REASONS[verdict][0],
        row=f'(Case("{base.op}", (f(-2, 0, 3),), tol=ROUNDS),)',
        command=f"nnadapter conform --device {base.device} --case '{name}'",
    )
    if verdict != "wrong":
        return result
    return replace(
        result,
        max_absolute=1.25e-7,
        max_relative=math.inf,
        max_ulp=float(2 ** (k % 24)),
        index=(1, 2),
        got_value="0.25",
        want_value="0.2500001",
        inputs=("float32[4, 6] of -2 to 2: [-1.5, 0.25, ...]", "int64[1]: [0]"),
        got="float32[4, 6]: [0.5, 0.25, ...]",
        want="float32[4, 6]: [0.5, 0.2500001, ...]",
    )


def result(case: str = "a", verdict: str = PASS, **more: Any) -> Result:
    given = {"suite": "cases", "frontend": "onnx", "op": "Relu", "device": "builtin"}
    return Result(case=case, verdict=verdict, **{**given, **more})


def test_the_run_has_every_verdict_and_its_keys_differ() -> None:
    run = make_run()
    assert set(run.counts) == set(VERDICTS)
    assert len({r.key for r in run.results}) == len(run.results)
    assert {r.suite for r in run.results} == set(SUITES)


# What results come to


def test_matrix_and_totals_count_every_result() -> None:
    run = make_run()
    cells, totals = summary.matrix(run.results), summary.totals(run.results)
    assert sum(cells.values(), Counter()) == run.counts
    assert sum(totals.values(), Counter()) == run.counts
    mine = [r for r in run.results if r.op == "Relu" and r.frontend == "onnx"]
    found = [c for cell, c in cells.items() if cell.op == "Relu" and cell.frontend == "onnx"]
    assert sum(found, Counter()) == Counter(r.verdict for r in mine)


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (0, "0"),
        (0.1, "≤0.5"),
        (0.5, "≤0.5"),
        (0.6, "≤1"),
        (2, "≤2"),
        (2.1, "≤4"),
        (1024, "≤1024"),
        (1025, "≤2¹¹"),
        (2.0**20, "≤2²⁰"),
        (2.0**21, ">2²⁰"),
        (math.inf, ">2²⁰"),
        (math.nan, ">2²⁰"),
    ],
)
def test_bins(value: float, label: str) -> None:
    assert summary.LABELS[summary.bin_of(value)] == label


def test_histograms_leave_out_limits_and_what_has_no_distance() -> None:
    results = [
        result(dtype="float32", max_ulp=0.0),
        result(dtype="float32", max_ulp=3.0),
        result(verdict="wrong", dtype="float32", max_ulp=3.0),
        result(verdict=LIMIT, dtype="float32", max_ulp=3.0),
        result(verdict=SKIP),
        result(),
    ]
    (found,) = summary.histograms(results, summary.ulp).items()
    assert found[0] == ("cases", "onnx", "builtin", "float32")
    assert found[1] == summary.Histogram(Counter({0: 1, 4: 1}), Counter({4: 1}))


@pytest.mark.parametrize(
    ("error", "yardstick", "ratio"),
    [(1.0, 2.0, 0.5), (0.0, 0.0, 0.0), (1.0, 0.0, math.inf), (None, 1.0, None), (1.0, None, None)],
)
def test_ratio(error: float | None, yardstick: float | None, ratio: float | None) -> None:
    assert summary.ratio(result(error=error, yardstick=yardstick)) == ratio


def test_slowest() -> None:
    run = make_run()
    found = summary.slowest(run.results)
    assert len(found) == 50
    assert [r.seconds for r in found] == sorted((r.seconds for r in run.results), reverse=True)[:50]
    assert summary.slowest([result(seconds=math.nan), result()]) == []


def test_every_verdict_has_its_place() -> None:
    assert sorted(summary.ORDER) == sorted(VERDICTS)
    assert {junit.KINDS.get(v, PASS) for v in VERDICTS} == {PASS, "failure", "error", "skipped"}


def test_failures_come_worst_first() -> None:
    run = make_run()
    found = summary.failures(run.results)
    assert Counter(r.verdict for r in found) == Counter(
        r.verdict for r in run.results if r.verdict not in GOOD
    )
    ranks = [summary.ORDER.index(r.verdict) for r in found]
    assert ranks == sorted(ranks)


def test_by_reason() -> None:
    run = make_run()
    found = summary.by_reason(run.results, LIMIT)
    assert set(found) == set(REASONS[LIMIT])
    assert sum(map(len, found.values())) == run.counts[LIMIT]


@pytest.mark.parametrize(
    ("verdicts", "text"),
    [
        ([], "Nothing was run"),
        ([SKIP], "Nothing failed, but nothing passed either"),
        ([PASS, LIMIT, SKIP], "Nothing fails"),
        ([PASS, "wrong"], "1 of 2 results fails"),
        (["crash", "wrong"], "2 of 2 results fail"),
    ],
)
def test_headline(verdicts: list[str], text: str) -> None:
    assert summary.headline(Run([result(v, v) for v in verdicts])) == text


# JUnit


def test_junit_counts(tmp_path: Path) -> None:
    run = make_run()
    junit.write(run, tmp_path / "junit.xml")
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    places = {(r.suite, r.frontend, r.device) for r in run.results}
    assert {s.get("name") for s in root} == {".".join(p) for p in places}
    for found in (root, *root):
        assert int(found.get("tests", "")) == len(list(found.iter("testcase")))
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(found.get(key, "")) == len(list(found.iter(tag)))
    kinds = Counter(child.tag for case in root.iter("testcase") for child in case)
    assert kinds["skipped"] == run.counts[SKIP] + run.counts[LIMIT]
    assert kinds["failure"] == sum(run.counts[v] for v in ("wrong", "refused", "stale"))
    assert kinds["error"] == sum(run.counts[v] for v in ("error", "crash", "timeout", "memory"))
    assert math.isclose(float(root.get("time", "")), run.seconds)


def test_junit_tells_a_failure(tmp_path: Path) -> None:
    run = make_run()
    wrong = next(r for r in run.results if r.verdict == "wrong")
    junit.write(Run([wrong]), tmp_path / "junit.xml")
    (case,) = ElementTree.parse(tmp_path / "junit.xml").getroot().iter("testcase")
    assert case.get("name") == wrong.case
    assert case.get("classname") == f"{wrong.suite}.{wrong.frontend}.{wrong.device}"
    (failure,) = case
    assert (failure.tag, failure.get("type")) == ("failure", "wrong")
    assert failure.get("message") == wrong.reason
    for text in (wrong.row, wrong.command, wrong.got, *wrong.inputs, "worst at [1, 2]"):
        assert text in (failure.text or "")


HOSTILE = "a\0b\x1b[31m\x85 <b>&\"' ]]> \ud800 \udfff \ufffe \uffff é 漢 😀 \t\n"


def test_junit_of_characters_that_xml_forbids(tmp_path: Path) -> None:
    bad = result(HOSTILE, "wrong", reason=HOSTILE, suite="s\0", inputs=(HOSTILE,), got=HOSTILE)
    good = result("slow", seconds=math.nan, reason=HOSTILE)
    junit.write(Run([bad, replace(bad, verdict=SKIP), good]), tmp_path / "junit.xml")
    first, second, third = ElementTree.parse(tmp_path / "junit.xml").getroot().iter("testcase")
    by_name = {c.get("time"): c for c in (first, second, third)}
    assert set(by_name) == {"0.000"}
    name = next(c for c in (first, second, third) if c.get("name") != "slow").get("name") or ""
    assert name.startswith("a\\x00b\\x1b[31m")
    assert "é 漢 😀" in name
    assert "\\ud800 \\udfff \\ufffe \\uffff" in name
    assert "<b>&\"' ]]>" in name


def test_junit_of_nothing(tmp_path: Path) -> None:
    junit.write(Run(), tmp_path / "junit.xml")
    assert ElementTree.parse(tmp_path / "junit.xml").getroot().get("tests") == "0"


def test_junit_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot write"):
        junit.write(Run(), tmp_path / "no" / "junit.xml")


# Two runs


def test_what_changed() -> None:
    old = Run(
        [
            result("stays"),
            result("breaks"),
            result("was wrong", "wrong"),
            result("still wrong", "wrong"),
            result("is listed now", "wrong"),
            result("is skipped now"),
            result("gone"),
            result("slow", seconds=0.06),
            result("twice, but quick", seconds=0.01),
            result("a second more", seconds=10.0),
        ]
    )
    new = Run(
        [
            result("stays"),
            result("breaks", "crash"),
            result("was wrong"),
            result("still wrong", "refused"),
            result("is listed now", LIMIT),
            result("is skipped now", SKIP),
            result("slow", seconds=0.12),
            result("twice, but quick", seconds=0.05),
            result("a second more", seconds=11.0),
            result("new"),
            result("new and wrong", "wrong"),
        ]
    )
    found = against.compare(old, new)
    names = {key: [r["case"] for r in results] for key, results in found.as_dict().items()}
    assert names == {
        "new_failures": ["breaks", "new and wrong"],
        "fixed": ["was wrong"],
        "excused": ["is listed now", "is skipped now"],
        "slower": ["slow"],
        "added": ["new", "new and wrong"],
        "gone": ["gone"],
    }
    assert found.slower[0].seconds_before == 0.06
    assert math.isclose(found.slower[0].times, 2)
    json.dumps(found.as_dict(), allow_nan=False)


def test_nothing_changed() -> None:
    assert against.compare(make_run(), make_run()) == against.Comparison()


def test_a_case_is_one_of_its_device() -> None:
    found = against.compare(Run([result("a")]), Run([result("a", "wrong", device="other")]))
    assert [len(found.added), len(found.gone), len(found.new_failures)] == [1, 1, 1]


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = make_run()
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run.as_dict()))
    assert against.load(path) == Run.of(run.as_dict())
    assert against.compare(against.load(path), run) == against.Comparison()


def damaged(**changes: Any) -> str:
    data = Run([result()]).as_dict()
    return json.dumps({**data, **changes})


def of_result(**changes: Any) -> str:
    return damaged(results=[{**result().as_dict(), **changes}])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "damaged report"),
        ("{", "damaged report"),
        ("[]", "no report of nnadapter conform"),
        ("null", "no report"),
        ('{"results": []}', "no report"),
        ("[" * 100_000, "damaged report"),
        ("\xff\xfe\x00", "damaged report"),
        (damaged(format=2), "has format 2"),
        (damaged(format="1"), "has format '1'"),
        (damaged(results=None), "damaged report"),
        (damaged(results=[3]), "result 0 is no object but int"),
        (damaged(results=[{}]), "result 0 has no 'suite'"),
        (damaged(seconds="long"), "damaged report"),
        (damaged(options=3), "damaged report"),
        (damaged(environment=[3]), "damaged report"),
        (damaged(skipped=[3]), "in another form"),
        (damaged(skipped=3), "damaged report"),
        (of_result(verdict="fine"), "verdict 'fine'"),
        (of_result(verdict=3), "has verdict=3"),
        (of_result(case=["a"]), "has case="),
        (of_result(seconds="1"), "has seconds="),
        (of_result(seconds=True), "has seconds="),
        (of_result(seconds=10**400), "has seconds="),
        (of_result(index=[1.5]), "has index="),
        (of_result(inputs="x"), "has inputs="),
        (of_result(max_ulp=[]), "has max_ulp="),
    ],
)
def test_a_damaged_report(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BadFile, match=re.escape(message)) as caught:
        against.load(path)
    assert len(one_line(caught.value)) < 400


def test_a_report_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot read"):
        against.load(tmp_path / "none.json")
    with pytest.raises(BadFile):
        against.load(tmp_path)


def test_fields_of_newer_formats_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(of_result(colour="red", max_ulp=None, seconds=1))
    assert against.load(path).results == [result(seconds=1)]
