"""The command line of conform and bisect: options, what reaches a terminal, numbers in JSON."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner
from click.testing import Result as Done

from conformance.bisecting.finding import Finding
from conformance.judging.compare import Difference
from conformance.judging.result import CRASH, LARGEST, LIMIT, PASS, WRONG, Result, Run
from conformance.running import conform as running
from conformance.running.suite import Item, Options, command
from nnadapter.commands import bisecting, conforming

ESCAPE = "\x1b[31mred\x07"
ITEM = Item("models", "onnx", "Op", "a 'case'")


def result(case: str, verdict: str, **more: Any) -> Result:
    return Result("cases", "onnx", "Op", case, "builtin", verdict, **more)


def parsed(words: list[str]) -> Options:
    found: Options = conforming.options_of(
        conforming.conform.make_context("conform", list(words)).params
    )
    return found


def invoked(monkeypatch: pytest.MonkeyPatch, run: Run, *words: str) -> Done:
    """The command, with results that are made up."""

    def made_up(options: Options, **_: Any) -> Run:
        return replace(run, options=options.as_dict())

    monkeypatch.setattr(running, "conform", made_up)
    return CliRunner().invoke(conforming.conform, words, catch_exceptions=False)


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(dtypes=("bfloat16",), samples=7, special=3, dynamic=True),
        Options(timeout=0.25, memory=3 << 20, yardstick=False, optimize=True),
        Options(seed=9, examples=3, models=("a b", "c'd"), preload=("m:f", "n")),
    ],
)
def test_a_printed_command_has_the_same_options(options: Options) -> None:
    words = shlex.split(command(ITEM, "builtin", options))
    assert words[:2] == ["nnadapter", "conform"]
    chosen = {"suites": ("models",), "frontends": ("onnx",), "devices": ("builtin",)}
    assert parsed(words[2:]) == replace(options, **chosen, case=ITEM.name)


def test_defaults_are_not_printed() -> None:
    words = shlex.split(command(ITEM, "builtin", Options()))
    assert [w for w in words if w.startswith("--")] == [
        *("--suite", "--frontend", "--device", "--case")
    ]
    assert parsed([]) == Options()


@pytest.mark.parametrize("name", ["suite", "frontend", "device", "dtype", "models", "preload"])
def test_what_is_given_twice_counts_once(name: str) -> None:
    words = [f"--{name}", "onnx", f"--{name}", "torch", f"--{name}", "onnx"]
    plural = {"suite": "suites", "frontend": "frontends", "device": "devices", "dtype": "dtypes"}
    assert getattr(parsed(words), plural.get(name, name)) == ("onnx", "torch")


@pytest.mark.parametrize(
    "words",
    [
        *(["--timeout", x] for x in ("0", "-1", "nan", "inf")),
        *(["--memory", x] for x in ("0", "-1", "nan", "inf", "1e300")),
        ["--samples", "0"],
        ["--examples", "-1"],
    ],
)
def test_amounts_are_positive_and_finite(words: list[str]) -> None:
    with pytest.raises(click.BadParameter) as caught:
        parsed(words)
    assert caught.value.param is not None
    assert f"--{caught.value.param.name}" == words[0]


def test_nothing_from_files_commands_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = result(ESCAPE, WRONG, reason=f"a\n{ESCAPE}", command=ESCAPE, row=f"Case(\n{ESCAPE}")
    skip = {"suite": ESCAPE, "count": 1, "reason": ESCAPE}
    done = invoked(monkeypatch, Run([bad], skipped=[skip]))
    assert done.exit_code == 1
    assert "\x1b" not in done.output
    assert "\x07" not in done.output
    assert done.output.count(r"\x1b[31mred\x07") == 6
    assert "  a \\x1b[31mred\\x07\n" in done.output
    assert "  Case(\n  \\x1b[31mred\\x07\n" in done.output


def test_the_script_of_a_finding_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    found = finding(model=b"")
    bisecting._explain(found, Path("with space 'q\x1b"))
    line = capsys.readouterr().out.splitlines()[-1]
    assert shlex.split(line) == ["python", r"with space 'q\x1b/show.py", "shows", "it"]


def finding(**more: Any) -> Any:
    """A finding of which only the numbers and what is given matter."""
    names = dict.fromkeys(Finding.__dataclass_fields__, "") | {"position": 0, "total": 1}
    names |= {"kind": "device", "difference": Difference("", math.nan, 0.0, math.inf)}
    return Finding(**(names | more))


def test_findings_are_json() -> None:
    text = json.dumps(finding().as_dict(), allow_nan=False)
    assert json.loads(text)["max_absolute"] == json.loads(text)["max_ulp"] == LARGEST


def test_results_are_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {"error": math.nan, "yardstick": math.inf, "max_ulp": -math.inf}
    path = tmp_path / "run.json"
    invoked(
        monkeypatch, Run([result("a", WRONG, **numbers)], seconds=math.nan), "--json", str(path)
    )
    read = json.loads(path.read_text(), parse_constant=pytest.fail)
    found = {k: read["results"][0][k] for k in numbers}
    assert found == {"error": LARGEST, "yardstick": LARGEST, "max_ulp": -LARGEST}
    assert Result.of({**read["results"][0], "error": math.nan}).error == LARGEST
    assert np.isfinite(read["seconds"])


def test_against_an_older_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.json"
    before = [result("a", WRONG), result("b", PASS), result("c", PASS)]
    invoked(monkeypatch, Run(before), "--json", str(path))
    now = Run([result("a", LIMIT), result("b", CRASH)])
    text = "against the older run: 1 new failures, 0 lost, 0 fixed, 0 gained, 1 excused"
    text += ", 0 other answers, 0 slower, 0 new"
    for words in ([], ["--device", "onnxruntime", "--device", "builtin"], ["--timeout", "5"]):
        done = invoked(monkeypatch, now, "--against", str(path), *words)
        assert f"{text}, 1 gone\n" in done.output
    for words in (["--op", "Op"], ["--device", "builtin"], ["--suite", "fuzz"], ["--case", "a"]):
        done = invoked(monkeypatch, now, "--against", str(path), *words)
        assert f"{text}\n" in done.output
        assert "does not count as gone" in done.output
