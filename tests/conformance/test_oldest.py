"""The oldest versions that the extras allow: what is asked, and the table of the page."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.environments.oldest import (
    BEGIN,
    END,
    PAGE,
    Row,
    commands_of,
    read_bounds,
    write_rows,
)
from conformance.environments.recipes import RECIPES
from nnir.errors import BadInput

OLD = Row("onnx", "1.17.0", "origin of onnx", 10, 6, 2, 1)


def test_every_recipe_has_a_bound() -> None:
    bounds = read_bounds()
    assert bounds.keys() == RECIPES.keys()
    assert all(version.count(".") == 2 for version in bounds.values()), "whole, as pip installs it"


def test_the_page_has_each_of_them() -> None:
    """`python -m conformance.environments --write` makes the table."""
    text = PAGE.read_text()
    for name, version in read_bounds().items():
        assert f"\n| {RECIPES[name].package} | {version} | " in text, name


def test_there_is_no_project_outside_of_a_checkout(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="run it in a checkout"):
        read_bounds(tmp_path / "pyproject.toml")


def test_a_framework_answers_here_and_a_device_runs_there(tmp_path: Path) -> None:
    python = tmp_path / "python"
    found = commands_of(RECIPES["litert"], python)
    assert found.keys() == {"origin of tflite", "device litert"}
    assert found["origin of tflite"][0] == sys.executable
    assert f"tflite={python}" in found["origin of tflite"]
    assert found["device litert"][0] == str(python)


def test_rows_take_the_place_of_those_of_their_package(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}{END}after\n")
    write_rows([OLD, Row("ai-edge-litert", "1.1.2", "device litert", 3, 3, 0, 0)], page)
    write_rows([Row("onnx", "1.18.0", "origin of onnx", 10, 10, 0, 0)], page)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "| onnx | 1.18.0 | origin of onnx | 10 | 10 | 0 | 0 | 0 |\n" in text
    assert "| ai-edge-litert | 1.1.2 | device litert | 3 | 3 | 0 | 0 | 0 |\n" in text
    assert "1.17.0" not in text
    assert text.count("\n| package | ") == 1


def test_what_is_left_differs() -> None:
    assert OLD.text == "| onnx | 1.17.0 | origin of onnx | 10 | 6 | 2 | 1 | 1 |\n"


def test_a_page_without_a_place_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    with pytest.raises(BadInput, match="no place for the table"):
        write_rows([OLD], page)
    assert page.read_text() == "nothing\n"
