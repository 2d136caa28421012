"""The documentation site builds with warnings as errors, whole, and needs no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nnadapter
from conformance.reference import anchor, escape
from nnir.ops import OPERATORS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site: a link or an anchor that leads nowhere is a warning, and so an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_operator_has_its_section(site: Path) -> None:
    for operator in OPERATORS.values():
        page = (site / "reference" / f"{operator.family}.html").read_text()
        assert f'<h2 id="{anchor(operator)}">' in page, operator.name


def test_every_public_name_is_described(site: Path) -> None:
    page = (site / "api.html").read_text()
    for name in nnadapter.__all__:
        assert re.search(rf'<h3 id="[\w.]+\.{name}"', page), name


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """Links may lead out; what a browser loads by itself may not."""
    loading = re.compile(
        r"<(?:script|img|iframe)[^>]*src=\"?https?:|<link[^>]*stylesheet[^>]*https?:"
    )
    found = [p.name for p in site.rglob("*.html") if loading.search(p.read_text())]
    assert found == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[N, C] * 2", r"\[N, C\] \* 2"),
        ("`a_b` and a_b < 3", r"`a_b` and a\_b &lt; 3"),
        ("a ` alone_", r"a \` alone\_"),
    ],
)
def test_only_code_is_markdown(text: str, shown: str) -> None:
    assert escape(text) == shown
