"""The documentation site builds with warnings as errors, whole, and needs no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import nnadapter
from conformance.reference import anchor, escape
from nnir.ops import OPERATORS

from ..conftest import shared_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder("site", tmp_path_factory, build_site)


def build_site(folder: Path) -> None:
    """A link or an anchor that leads nowhere is a warning, and so an error."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
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


@pytest.mark.long
def test_the_search_works_from_the_disk(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    missing: list[str] = []
    page.on("requestfailed", lambda request: missing.append(request.url))
    page.goto(f"file://{site}/index.html")
    page.fill("input.md-search__input", "dynamic batch")
    first = page.locator(".md-search-result__link").first
    first.wait_for()
    assert "howto/dynamic-shapes.html" in str(first.get_attribute("href"))
    assert missing == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.long
def test_pages_fit_a_phone(site: Path, browser: Browser, scheme: str) -> None:
    """Tables and code scroll by themselves, and colours follow the system."""
    page = browser.new_page(viewport=PHONE, color_scheme=scheme)
    for name in ("index", "howto/wrong-results", "reference/conv", "operators", "api", "devices"):
        page.goto(f"file://{site}/{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], name
    shown = page.get_attribute("body", "data-md-color-scheme")
    assert shown == {"light": "default", "dark": "slate"}[scheme]
    page.close()


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
