"""The benchmark that holds `check` against `convert` and `compile`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

import nnadapter as nna
from benchmarks import agreement_worker as agreement
from benchmarks import refusals
from benchmarks.agreement import answers_of
from nnadapter.readiness.report import Answer
from nnir.errors import BadFile
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


@pytest.mark.long
def test_a_model_that_some_refuse(tmp_path: Path) -> None:
    """A decomposition in float64, which some formats and devices lack."""
    folder = tmp_path / "models" / "one"
    folder.mkdir(parents=True)
    model = Model()
    model.outputs = [linalg.cholesky(model.input("x", TensorType(Precision.FLOAT64, (2, 2))))]
    nna.convert(model, folder / "model.pt2", verify=False)
    kept = tmp_path / "kept"
    command = [sys.executable, "-m", "benchmarks.agreement", str(tmp_path / "models")]
    done = subprocess.run([*command, "--kept", str(kept)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 models" in done.stdout
    (row,) = map(json.loads, kept.read_text().splitlines())
    found = row["answers"]
    assert list(found) == [*agreement.FORMATS, *agreement.DEVICES]
    assert found[".pt2"][0] == found["builtin"][0] == agreement.BOTH
    assert found[".tflite"][0] == found["litert"][0] == agreement.NEITHER
    assert "FLOAT64" in found["litert"][1]
    again = list(answers_of([folder / "model.pt2"], 60, kept))
    assert again == [(folder / "model.pt2", found)]
    assert len(kept.read_text().splitlines()) == 1


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    """What a frontend refuses, every question is answered with; a damaged file is an error."""
    path = tmp_path / "one" / "model.onnx"
    path.parent.mkdir()
    node = helper.make_node("NoSuchOperator", ["x"], ["y"], domain="nowhere")
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    onnx.save(helper.make_model(helper.make_graph([node], "g", ends[:1], ends[1:])), path)
    verdicts = {verdict for verdict, _ in agreement.ask(path).values()}
    assert verdicts == {agreement.NEITHER}
    path.write_bytes(b"no model")
    with pytest.raises(BadFile):
        agreement.ask(path)
