"""`nnadapter demo`: what somebody sees first."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.installing import command


def test_all_of_it_is_shown(tmp_path: Path) -> None:
    done = command(("demo", "shown"), tmp_path, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n$ nnadapter ") == 7
    assert "verified: model.tflite in litert agrees with onnxruntime" in done.stderr
    assert "model.tflite: yes, it can be written" in done.stdout
    written = {p.name for p in (tmp_path / "shown").iterdir()}
    assert written == {"model.onnx", "model.tflite", "standard.nnir", "model.html"}


def test_a_folder_that_is_used_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    done = command(("demo", "."), tmp_path, home=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "error: . is not empty: name another folder\n"
