"""The oldest versions that the extras of pyproject.toml allow, installed and asked for cases."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nnir.errors import BadInput, DeviceError
from nnir.isolation import HOME
from nnir.staging import replacing

from ..judging.result import GAPS, PASS, SKIP
from ..reports.against import load
from .making import Say, make_environment, shorten
from .recipes import RECIPES, Recipe

PROJECT = HOME / "pyproject.toml"
PAGE = HOME / "docs" / "versions.md"
BEGIN, END = "<!-- oldest versions -->\n", "<!-- end of oldest versions -->\n"
COLUMNS = (
    *("package", "oldest", "asked as", "cases", "pass", "not in that version"),
    *("nnadapter refuses", "differ or fail"),
)

OPERATORS = (
    *("ADD", "CAST", "CONCAT", "CONV_2D", "GATHER", "LAYER_NORMALIZATION", "MAT_MUL"),
    *("MAX_POOL_2D", "REDUCE_MEAN", "RELU", "SLICE", "SOFTMAX"),
)
"""A device is asked for these, some of every family; a framework for all its cases."""


@dataclass(frozen=True)
class Row:
    """How an oldest version did, as the origin of a frontend or as a device."""

    package: str
    version: str
    role: str
    cases: int
    good: int
    absent: int
    gaps: int

    @property
    def text(self) -> str:
        """A line of the table."""
        wrong = self.cases - self.good - self.absent - self.gaps
        about = (self.package, self.version, self.role, self.cases)
        return f"| {' | '.join(map(str, (*about, self.good, self.absent, self.gaps, wrong)))} |\n"


def read_bounds(project: Path = PROJECT) -> dict[str, str]:
    """By recipe, the oldest version that an extra allows; BadInput outside of a checkout."""
    if not project.exists():
        raise BadInput(f"there is no {project.name} in {project.parent}: run it in a checkout")
    extras = tomllib.loads(project.read_text())["project"]["optional-dependencies"]
    found = dict(r.split(">=") for rows in extras.values() for r in rows if ">=" in r)
    return {name: found[r.package] for name, r in RECIPES.items() if r.package in found}


def ask_oldest(name: str, version: str, say: Say) -> Iterator[Row]:
    """What a version answers, in each of its roles."""
    recipe = RECIPES[name]
    python = make_environment(f"{name}=={version}", say)
    for role, command in commands_of(recipe, python).items():
        say(f"asking {recipe.package} {version} as {role}")
        counts = _run_cases(command)
        gaps = sum(counts.get(verdict, 0) for verdict in GAPS)
        good, absent = counts.get(PASS, 0), counts.get(SKIP, 0)
        yield Row(recipe.package, version, role, sum(counts.values()), good, absent, gaps)


def commands_of(recipe: Recipe, python: Path) -> dict[str, list[str]]:
    """The commands that ask, by role."""
    conform = ["-m", "nnadapter", "conform", "--quiet", "--no-yardstick"]
    found = {
        f"origin of {f}": [
            *(sys.executable, *conform, "--frontend", f, "--origin", f"{f}={python}"),
            *("--device", "builtin"),
        ]
        for f in recipe.frontends
    }
    if recipe.device:
        chosen = ["--frontend", "nnir", "--op", ",".join(OPERATORS), "--device", recipe.device]
        found[f"device {recipe.device}"] = [str(python), *conform, *chosen]
    return found


def _run_cases(command: list[str]) -> Mapping[str, int]:
    """The verdicts of a run, counted; DeviceError where there are none."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if command[0] == sys.executable:
        kept["PYTHONPATH"] = str(HOME)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "run.json"
        done = subprocess.run(
            [*command, "--json", str(report)],
            cwd=folder,
            env=kept,
            capture_output=True,
            text=True,
            check=False,
        )
        if not report.exists():
            raise DeviceError(f"no cases were run: {shorten(done.stderr or done.stdout)}")
        counts = load(report).counts
        if not sum(counts.values()):
            raise DeviceError(f"no case was run: {shorten(done.stderr or done.stdout)}")
        return counts


def write_rows(rows: list[Row], page: Path = PAGE) -> None:
    """Put rows into the table of the page; those of other packages stay as they are."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    if not after and END not in rest:
        raise BadInput(f"{page.name} has no place for the table: {BEGIN.strip()} and its end")
    asked = {row.package for row in rows}
    lines = re.findall(r"^\| (?!package )\S+ \|.*\n", table, re.MULTILINE)
    kept = [line for line in lines if line.split("|")[1].strip() not in asked]
    head = f"\n| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"
    body = "".join(sorted([*kept, *(row.text for row in rows)]))
    with replacing(page) as file:
        file.write(f"{before}{BEGIN}{head}{body}\n{END}{after}".encode())
