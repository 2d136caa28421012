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
from click.testing import CliRunner

from conformance.judging.result import (
    GAPS,
    GOOD,
    LIMIT,
    PASS,
    REFUSED,
    SKIP,
    VERDICTS,
    WRONG,
    Result,
    Run,
)
from conformance.reports import against, junit, summary
from conformance.reports.merge import merge
from nnadapter.cli import main as cli
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
STANDARD = {
    "Relu": "RELU",
    "aten.relu.default": "RELU",
    "RELU": "RELU",
    "relu": "RELU",
    "Conv": "CONV_2D",
    "aten.conv2d.default": "CONV_2D",
    "Conv2D": "CONV_2D",
    "CONV_2D": "CONV_2D",
    "conv2d": "CONV_2D",
    "LeakyRelu": "LEAKY_RELU",
    "Erf": "ERF",
    "MatMul": "MAT_MUL",
    "matmul": "MAT_MUL",
    "Gemm": "MAT_MUL",
    "GRU": "GRU",
}
"""What some of them are; the others were not converted."""

DEVICES = ("builtin", "onnxruntime")
ENVIRONMENT: dict[str, Any] = {
    "environment": {"python": "3.11.2", "onnxruntime": "1.18", "torch": "2.13.0"}
}
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
            standard=(STANDARD[op], "CAST") if op in STANDARD else (),
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


def test_what_is_refused_fails_strict_runs_only() -> None:
    run = make_run()
    assert {r.verdict for r in run.failures} == set(VERDICTS) - GOOD
    assert not {REFUSED, LIMIT} & {r.verdict for r in run.failures}
    gaps = Run([result(verdict=REFUSED), result(verdict=LIMIT), result()])
    assert gaps.is_good
    assert not replace(gaps, is_strict=True).is_good
    assert Run.of(replace(gaps, is_strict=True).as_dict()).is_strict


def test_reasons_of_one_kind_are_counted_together() -> None:
    said = [f"NoLowering: CONV_3D of rank {k}, in ONNX node Conv 'c{k}'" for k in range(5)]
    rows = [result(reason=text, verdict=REFUSED) for text in [*said, "no float64", "no float64"]]
    found = summary.by_kind_of_reason(rows, REFUSED)
    assert [(k.partition(",")[0], len(v)) for k, v in found.items()] == [
        ("NoLowering: CONV_3D of rank 0", 5),
        ("no float64", 2),
    ]


def test_failures_come_worst_first() -> None:
    found = summary.by_severity(make_run().results)
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
    assert kinds["skipped"] == sum(run.counts[v] for v in (SKIP, *GAPS))
    assert kinds["failure"] == run.counts[WRONG] + run.counts["stale"]
    assert kinds["error"] == sum(run.counts[v] for v in ("error", "crash", "timeout", "memory"))
    assert math.isclose(float(root.get("time", "")), run.seconds)


def test_junit_of_a_strict_run(tmp_path: Path) -> None:
    junit.write(replace(make_run(), is_strict=True), tmp_path / "junit.xml")
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    kinds = Counter(f.get("type") for f in root.iter("failure"))
    counts = make_run().counts
    assert kinds == {v: counts[v] for v in (WRONG, "stale", *GAPS) if counts[v]}


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
            result("is refused now"),
            result("was refused", REFUSED),
            result("says something else", answer="1234"),
            result("says the same", answer="1234"),
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
            result("still wrong", "crash"),
            result("is listed now", LIMIT),
            result("is skipped now", SKIP),
            result("is refused now", REFUSED, reason="no kernel"),
            result("was refused"),
            result("says something else", answer="5678", max_ulp=3.0),
            result("says the same", answer="1234"),
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
        "lost": ["is refused now", "is skipped now"],
        "gained": ["was refused"],
        "excused": ["is listed now"],
        "answers": ["says something else"],
        "slower": ["slow"],
        "added": ["new", "new and wrong"],
        "gone": ["gone"],
    }
    assert found.is_worse
    told = [change.text for change in found.changes]
    assert "lost: onnx is refused now on builtin: pass -> refused: no kernel" in told
    assert (
        "other answer: onnx says something else on builtin: "
        "pass -> pass (3 units in the last place)" in told
    )
    assert found.slower[0].seconds_before == 0.06
    assert math.isclose(found.slower[0].times, 2)
    json.dumps(found.as_dict(), allow_nan=False)


def test_nothing_changed() -> None:
    assert against.compare(make_run(), make_run()) == against.Comparison()
    assert not against.Comparison().is_worse


# Several runs


def test_runs_of_other_devices_are_one() -> None:
    run = make_run()
    parts = [Run([r for r in run.results if r.device == d], **ENVIRONMENT) for d in DEVICES]
    merged = merge([("a.json", parts[0]), ("b.json", parts[1])])
    assert merged.replaced == 0
    assert sorted(merged.run.results, key=lambda r: r.key) == sorted(
        run.results, key=lambda r: r.key
    )
    assert merged.run.environment == ENVIRONMENT["environment"]


def test_versions_stand_in_the_names_where_they_differ() -> None:
    old = Run([result("a", device="onnxruntime", frontend="torch")], **ENVIRONMENT)
    new = Run([result("a", WRONG, device="onnxruntime", frontend="torch")], **ENVIRONMENT)
    new.environment = {**old.environment, "onnxruntime": "1.31", "origin torch": "2.6.0"}
    merged = merge([("old.json", old), ("new.json", new)]).run
    assert [(r.frontend, r.device, r.verdict) for r in merged.results] == [
        ("torch 2.13.0", "onnxruntime 1.18", PASS),
        ("torch 2.6.0", "onnxruntime 1.31", WRONG),
    ]
    assert merged.environment["onnxruntime"] == "1.18 in old.json, 1.31 in new.json"
    assert merged.environment["torch"] == "2.13.0"


def test_two_versions_of_an_origin_are_compared(tmp_path: Path) -> None:
    """What one version answers otherwise is listed, and nothing else."""
    runs = {"old": ("1.19.1", "aa", WRONG), "new": ("", "bb", PASS)}
    paths = []
    for name, (number, digest, verdict) in runs.items():
        origin = {"origin onnx": number} if number else {}
        environment = {"onnx": "1.23.2", "onnxruntime": "1.31.1", **origin}
        results = [
            replace(result("changed", verdict, reason="apart"), answer=digest),
            replace(result("same"), answer="cc"),
            replace(result("unknown"), answer=digest if name == "old" else ""),
        ]
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(Run(results, environment=environment).as_dict()))
    done = CliRunner().invoke(cli, ["report", "--diff", *map(str, paths)])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "origin onnx: 1.19.1 -> 1.23.2",
        (
            "against the older run: 0 new failures, 0 lost, 1 fixed, 0 gained, 0 excused, "
            "1 other answers, 0 slower, 0 new, 0 gone"
        ),
        "fixed: onnx changed on builtin: wrong: apart -> pass: apart",
        "other answer: onnx changed on builtin: wrong: apart -> pass: apart",
    ]


def test_two_versions_of_pytorch_are_compared_as_the_docs_show(tmp_path: Path) -> None:
    """`...` stands for what docs/conformance.md leaves out."""
    page = (Path(__file__).parents[2] / "docs" / "conformance.md").read_text()
    (shown,) = re.findall(r"```text\n(origin torch: .*?)\n```", page, re.DOTALL)
    cases = re.findall(r"other answer: torch (.*) on builtin", shown)
    (reason,) = re.findall(r"wrong \(\.\.\.\): (.*) -> pass", shown)
    new = [replace(result(case, frontend="torch"), answer="new") for case in cases]
    old = [replace(r, answer="old") for r in new]
    old[-1] = replace(old[-1], verdict=WRONG, reason=reason, max_ulp=9.0)
    paths = []
    for results, version in ((old, "2.6.0"), (new, "2.13.0+cpu")):
        paths.append(tmp_path / f"{version}.json")
        run = Run(results, environment={"torch": "2.13.0+cpu", "origin torch": version})
        paths[-1].write_text(json.dumps(run.as_dict()))
    done = CliRunner().invoke(cli, ["report", "--diff", *map(str, paths)])
    for line, wanted in zip(done.stdout.splitlines(), shown.splitlines(), strict=True):
        assert re.fullmatch(".*".join(map(re.escape, wanted.split("..."))), line)


def test_the_last_of_equal_results_is_kept() -> None:
    merged = merge([("a", Run([result("a", WRONG), result("b")])), ("b", Run([result("a")]))])
    assert merged.replaced == 1
    assert {r.case: r.verdict for r in merged.run.results} == {"a": PASS, "b": PASS}
    apart = [Run([result("a")], environment={"system": s}) for s in ("Linux", "Windows")]
    devices = [r.device for r in merge([("a", apart[0]), ("b", apart[1])]).run.results]
    assert devices == ["builtin (Linux)", "builtin (Windows)"]


def test_the_command_merges_and_compares(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("old.json", "new.json", "all.json")]
    old, new = Run([result("a"), result("b")]), Run([result("a", REFUSED, reason="no kernel")])
    for path, run in zip(paths, (old, new), strict=False):
        path.write_text(json.dumps(run.as_dict()))
    names = [str(p) for p in paths[:2]]
    done = CliRunner().invoke(cli, ["report", *names, "--diff"])
    assert done.exit_code == 1
    assert "1 lost" in done.output
    assert "lost: onnx a on builtin: pass -> refused: no kernel" in done.output
    done = CliRunner().invoke(cli, ["report", *reversed(names), "--diff"])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(cli, ["report", *names, "--json", str(paths[2])])
    assert done.exit_code == 0, done.output
    assert "1 results stand in several reports" in done.stderr
    assert {r.case: r.verdict for r in against.load(paths[2]).results} == {"a": REFUSED, "b": PASS}
    assert CliRunner().invoke(cli, ["report", names[0], "--diff"]).exit_code == 2
    assert CliRunner().invoke(cli, ["report"]).exit_code == 2


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
        (damaged(environment={"torch": 3}), "versions in another form"),
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
