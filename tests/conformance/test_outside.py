"""Frameworks of other packages as origins, and the limits that their devices declare."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from conformance.case import Limit
from conformance.engines import outside
from conformance.judging.result import LIMIT, PASS, WRONG, Result
from conformance.reports import against

from .installing import ROOT, Home, command, entry_points, install

EXAMPLE = ROOT / "examples" / "outside"
JAX = os.environ.get("NNADAPTER_JAX_PYTHON")


def points_of() -> str:
    return entry_points(EXAMPLE)


def conform(folder: Path, *words: str, points: str = "") -> subprocess.CompletedProcess[str]:
    install(folder, points or points_of())
    return command(("conform", *words), folder, EXAMPLE, home=folder)


def results(folder: Path) -> list[Result]:
    return against.load(folder / "run.json").results


def test_a_toy_framework_takes_part(tmp_path: Path) -> None:
    words = ["--frontend", "toyml", "--device", "builtin", "--json", str(tmp_path / "run.json")]
    done = conform(tmp_path, *words)
    assert done.returncode == 1, done.stderr
    found = results(tmp_path)
    assert {r.frontend for r in found} == {"toyml"}
    assert Counter(r.verdict for r in found) == {PASS: 7, WRONG: 1}
    assert next(r for r in found if r.verdict == WRONG).case == "sign-float32-nan stays nan"
    assert {r.op: r.subject for r in found} == {
        "relu": "RELU",
        "softmax": "SOFTMAX",
        "dense": "MAT_MUL",
        "sign": "SIGN",
    }
    environment = json.loads((tmp_path / "run.json").read_text())["environment"]
    assert environment["origin toyml"] == environment["numpy"]
    assert environment["other"] == "1.0"


@pytest.mark.long
def test_it_is_chosen_by_standard_operator(tmp_path: Path) -> None:
    """Where pip has installed the example, in an environment of its own."""
    home = Home.with_package(tmp_path, EXAMPLE)
    words = ["--op", "SOFTMAX", "--frontend", "toyml", "--frontend", "onnx", "--device", "builtin"]
    done = home.nnadapter("conform", *words, "--json", "run.json")
    assert done.returncode == 0, done.stderr
    assert {r.frontend for r in results(tmp_path)} == {"toyml", "onnx"}


def test_limits_of_an_outside_device(tmp_path: Path) -> None:
    """A device that is builtin by another name, and says that it has no matrices."""
    (tmp_path / "toydevice.py").write_text(
        "from hal.drivers.builtin import Builtin\n"
        "from nnir.errors import NoLowering\n"
        "class Toy(Builtin):\n"
        "    name = 'toydevice'\n"
        "    def create_program(self, context, model, cache):\n"
        "        if any(o.operator.name == 'MAT_MUL' for o in model.operations):\n"
        "            raise NoLowering('no matrices')\n"
        "        return super().create_program(context, model, cache)\n"
    )
    points = f"{points_of()}[nnadapter.devices]\ntoydevice = toydevice:Toy\n"
    words = ["--frontend", "toyml", "--device", "toydevice", "--op", "dense,relu"]
    done = conform(tmp_path, *words, "--json", str(tmp_path / "run.json"), points=points)
    assert done.returncode == 0, done.stderr
    assert {(r.op, r.verdict) for r in results(tmp_path)} == {("dense", LIMIT), ("relu", PASS)}
    assert "the toy device has no matrices" in done.stdout


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ("[nnadapter.origins]\nother = nobody.has:IT\n", "cannot be imported: ModuleNotFoundError"),
        ("[nnadapter.origins]\nother = json:dumps\n", "is no OutsideOrigin of the name 'other'"),
        ("[nnadapter.limits]\nother = json:dumps\n", "is no sequence of limits"),
    ],
)
def test_what_is_no_origin(tmp_path: Path, points: str, said: str) -> None:
    name = "other" if "origins" in points else "onnx"
    done = conform(tmp_path, "--frontend", name, "--op", "Relu", points=points)
    assert done.returncode == 1
    assert said in done.stderr
    assert "of other" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--frontend", "nobody"], "no frontend 'nobody': there are nnir, onnx, torch"),
        (["--origin", "nobody=" + sys.executable], "names no frontend; there are onnx, torch"),
        (["--origin", "torch"], "origin 'torch' is not FRONTEND=PATH"),
        (["--origin", "torch=/nowhere/python"], "is not FRONTEND=PATH of a Python"),
    ],
)
def test_wrong_names(tmp_path: Path, words: list[str], said: str) -> None:
    done = conform(tmp_path, *words)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.long
def test_another_interpreter_answers(tmp_path: Path) -> None:
    """By a link to this one, whose versions are those of another place for all we know."""
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    words = ["--frontend", "onnx", "--op", "Relu", "--origin", f"onnx={python}"]
    done = conform(tmp_path, *words, "--device", "builtin", "--json", str(tmp_path / "run.json"))
    assert done.returncode == 0 or "No module named" in done.stdout + done.stderr
    run = against.load(tmp_path / "run.json")
    assert "origin onnx" in run.environment


def test_limits_can_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "_ADDED_LIMITS", [])
    limit = Limit("Relu", "why", device="mine")
    outside.add_limits([limit])
    assert limit in outside.outside_limits()


@pytest.mark.skipif(JAX is None, reason="NNADAPTER_JAX_PYTHON names no Python with JAX")
def test_jax(tmp_path: Path) -> None:
    done = conform(tmp_path, "--frontend", "jax", "--json", str(tmp_path / "run.json"))
    assert done.returncode == 0, done.stdout
    assert {r.verdict for r in results(tmp_path)} <= {PASS, LIMIT}
