"""What the hosting service reads: workflows call the Makefile, forms ask for what helps."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(p for p in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if p.stem != "config")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TARGETS = {
    target
    for line in re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for target in line.split()
}


def read(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text())


def commands(path: Path) -> list[str]:
    """What a workflow runs, for each of its targets."""
    found = []
    for job in read(path)["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        for step in job["steps"]:
            text = step.get("run")
            names = matrix.get("target", [""]) if text else ()
            found += [text.replace("${{ matrix.target }}", name) for name in names]
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_workflows_call_targets_of_the_makefile(path: Path) -> None:
    run = commands(path)
    made = {command.removeprefix("make ") for command in run if command.startswith("make ")}
    assert made <= TARGETS
    assert [c for c in run if not c.startswith(("make ", "test -e "))] == []
    assert read(path)["permissions"] == {"contents": "read"}


def test_every_python_that_is_supported_is_tried() -> None:
    matrix = read(GITHUB / "workflows" / "test.yml")["jobs"]["wheel"]["strategy"]["matrix"]
    named = {c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)}
    assert {*matrix["python"]} == named


@pytest.mark.parametrize("path", FORMS, ids=lambda p: p.stem)
def test_forms_ask_for_the_doctor(path: Path) -> None:
    form = read(path)
    assert form["name"]
    assert form["description"]
    asked = {part["id"]: part for part in form["body"] if part["type"] != "markdown"}
    assert asked["doctor"]["validations"]["required"]
    assert all(part["attributes"]["label"] for part in asked.values())
    assert path.stem != "bug" or "nnadapter bisect" in asked["bisect"]["attributes"]["description"]


def test_the_citation_has_the_version() -> None:
    found = read(ROOT / "CITATION.cff")
    assert (found["version"], found["license"]) == (PROJECT["version"], PROJECT["license"])
    assert found["repository-code"] == PROJECT["urls"]["Source"]
