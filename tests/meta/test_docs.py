"""Links resolve, tables are those of the code. What pages run, `tests/docs` runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from conformance.tables import DOCS, PAGES

ROOT = Path(__file__).parents[2]
PAGES_OF_TEXT = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(DOCS.rglob("*.md")),
]
README = (ROOT / "README.md").read_text()


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`?make (\w+)", README):
        assert f"\n{target}:" in makefile, target


@pytest.mark.parametrize("page", PAGES_OF_TEXT, ids=lambda p: p.name)
def test_links_resolve(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if not link.startswith(("http://", "https://")):
            assert (page.parent / link).exists(), link


@pytest.mark.parametrize("name", PAGES)
def test_tables_are_those_of_the_code(name: str) -> None:
    assert (DOCS / name).read_text() == PAGES[name](), "run `python -m conformance.tables`"


def test_nothing_of_this_machine_is_in_the_repository() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".txt", ".json", ".yaml"} and path.exists():
            assert not re.search(r"/work/|/root/|/home/\w", path.read_text()) or name.startswith(
                "tests/meta/"
            ), name
