"""Each page does what it says: its blocks are run in their order, in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..saturation import SATURATES
from .blocks import CORE, FRAMEWORKS, ROOT, Page, commands, missing_lines, read_page

GENERATED = {
    "docs/framework_differences.md",
    "docs/nnrt_operators.md",
    "docs/onnx.md",
    "docs/operators.md",
    "docs/paddle_operators.md",
    "docs/pytorch_operators.md",
    "docs/tensorflow_operators.md",
    "docs/tflite_operators.md",
    "docs/upstream_bugs.md",  # the programs are run by test_upstream_bugs
    "docs/version_differences.md",
}
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [p for p in map(read_page, TEXTS) if p.name not in GENERATED]
NOT_RUN = {
    "README.md": 2,
    "CONTRIBUTING.md": 5,
    "docs/conformance.md": 8,
    "docs/devices.md": 4,
    "docs/index.md": 1,
    "docs/nnrt.md": 1,
    "docs/plugins.md": 2,
    "docs/pytorch.md": 1,
    "docs/state.md": 1,
}
"""How many blocks of a page are not run; each has its reason beside it, in the page."""

NOISE = r"in onnxruntime has [\d.]+ dB of signal over noise"
"""What `quantize` says where ONNX Runtime's sums of products saturate."""

FIRST = "README.md"
TOGETHER = 6
"""Pages of a framework that share a process, which imports it."""


def groups() -> Iterator[Any]:
    """Pages that are run together: first what everybody reads, then a few of a framework."""
    yield pytest.param([FIRST], id=FIRST)
    for framework in (CORE, *FRAMEWORKS):
        names = [p.name for p in PAGES if p.framework == framework and p.name != FIRST]
        for start in range(0, len(names), TOGETHER):
            some = names[start : start + TOGETHER]
            yield pytest.param(some, marks=pytest.mark.long, id=f"{framework}-{start // TOGETHER}")


@pytest.mark.parametrize("pages", [*groups()])
def test_every_block_runs(
    pages: list[str], tmp_path: Path, models: Path, files: Path, programs: Path
) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    for name, folder in {"tensorflow": models, "tflite": files, "paddle": programs}.items():
        (sources / name).symlink_to(folder)
    out = tmp_path / "out.json"
    words = [sys.executable, "-m", "tests.docs.run_pages", str(out), str(sources), *pages]
    environment = {**os.environ, "NNADAPTER_CACHE": str(tmp_path / "cache"), "COLUMNS": "200"}
    done = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(out.read_text())
    assert sorted(found["problems"]) == sorted(pages)
    problems = [p for problems in found["problems"].values() for p in problems]
    if SATURATES:
        problems = [p for p in problems if not re.search(NOISE, p)]
    assert problems == []


def test_what_is_not_run_is_counted() -> None:
    found = {p.name: sum(b.word == "not run" for b in p.blocks) for p in PAGES}
    assert {name: count for name, count in found.items() if count} == NOT_RUN


def test_the_tests_that_reasons_name_exist() -> None:
    reasons = [b.said for p in PAGES for b in p.blocks if b.word == "not run"]
    names = {name for said in reasons for name in re.findall(r"test_\w+", said)}
    assert names
    assert names <= {path.stem for path in (ROOT / "tests").rglob("test_*.py")}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_no_code_hides_in_text(page: Page) -> None:
    for block in page.blocks:
        if block.language not in ("python", "sh"):
            assert not re.search(r"^(nnadapter|import|\$) ", block.text, re.MULTILINE), block.line


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_excerpts_stand_in_their_files(page: Page) -> None:
    for block in page.blocks:
        if block.word == "from":
            text = (ROOT / block.said).read_text()
            left = [line.strip() for line in text.splitlines()]
            for line in filter(None, map(str.strip, block.text.splitlines())):
                assert line in left, f"{page.name}:{block.line}: {line}"
                left = left[left.index(line) + 1 :]


def test_lines_are_looked_for_in_their_order() -> None:
    printed = "│ a  │ 1 │\nb 2.5 s\nc"
    assert missing_lines(["a 1", "b ... s", "c"], printed) == []
    assert missing_lines(["c", "a 1"], printed) == ["a 1"]
    assert missing_lines(["b"], printed) == ["b"]


def test_commands_go_on_behind_a_backslash() -> None:
    assert list(commands("# why\na b \\\n  c\n\nd  # e")) == ["a b    c", "d  # e"]


def test_a_page_is_read(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- files: model images -->\n\n<!-- not run: no -->\n```sh\nmake\n```\n\n"
        "```python\nimport torch\n```\n\n```text\nseen\n```\n"
    )
    read = read_page(page)
    assert read.files == ["model", "images"]
    assert read.framework == "torch"
    assert [(b.language, b.word, b.said, b.printed) for b in read.blocks] == [
        ("sh", "not run", "no", []),
        ("python", "", "", ["seen"]),
    ]
    page.write_text("<!-- hidden: no -->\n```sh\nmake\n```\n")
    with pytest.raises(ValueError, match="means nothing"):
        read_page(page)


def test_each_question_has_its_page() -> None:
    folder = ROOT / "docs" / "howto"
    linked = re.findall(r"^\* \[.+\]\(([\w-]+\.md)\)$", (folder / "index.md").read_text(), re.M)
    pages = {p.name for p in folder.glob("*.md")} - {"index.md"}
    assert set(linked) == pages
    assert len(linked) == len(pages) == 21
    for name in linked:
        page = read_page(folder / name)
        assert any(b.is_run and b.printed for b in page.blocks), f"{name} shows nothing printed"
