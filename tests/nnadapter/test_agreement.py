"""The benchmark that holds `check` against `convert` and `compile`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import nnadapter as nna
from benchmarks import agreement, refusals
from nnadapter.readiness.report import Answer
from nnir.model import Model
from nnir.ops import linalg
from nnir.types import Precision, TensorType

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("answered", "done", "verdict"),
    [
        ("", "", agreement.BOTH),
        ("no", "no", agreement.NEITHER),
        ("", "no", agreement.PROMISED),
        ("no", "", agreement.WITHHELD),
        ("no", "never", agreement.OTHERWISE),
    ],
)
def test_an_answer_beside_what_happens(answered: str, done: str, verdict: str) -> None:
    answer = Answer("x.onnx", True, error=answered)
    assert agreement.compare(answer, done)[0] == verdict


@pytest.mark.parametrize("is_wrong", [False, True])
def test_cases_that_devices_refuse(
    is_wrong: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["refusals", "--frontend", "onnx", "--op", "Q*"])
    if is_wrong:
        yes = Answer("model", True)
        monkeypatch.setattr(refusals, "ask_target", lambda *given, **options: yes)
    assert refusals.main() == is_wrong
    told = capsys.readouterr().out
    assert "onnx as .tflite" in told
    assert (agreement.PROMISED + ": " in told) is is_wrong


def test_a_model_that_some_refuse(tmp_path: Path) -> None:
    """A decomposition in float64, which some formats and devices lack."""
    folder = tmp_path / "models" / "one"
    folder.mkdir(parents=True)
    model = Model()
    model.outputs = [linalg.cholesky(model.input("x", TensorType(Precision.FLOAT64, (2, 2))))]
    nna.convert(model, folder / "model.pt2", verify=False)
    command = [sys.executable, "-m", "benchmarks.agreement"]
    done = subprocess.run(
        [*command, str(tmp_path / "models")], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 models" in done.stdout
    asked = subprocess.run([*command, "--one", str(folder)], cwd=ROOT, capture_output=True)
    found = json.loads(asked.stdout.splitlines()[-1])
    assert list(found) == [*agreement.FORMATS, *agreement.DEVICES]
    assert found[".pt2"][0] == found["builtin"][0] == agreement.BOTH
    assert found[".tflite"][0] == found["litert"][0] == agreement.NEITHER
    assert "FLOAT64" in found["litert"][1]
