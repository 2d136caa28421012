"""Every bug of a framework is still there, and the page says so.

Some of these bugs are of kernels that only some processors have: elsewhere a program may say that
its bug is mended.
"""

from __future__ import annotations

import ast
import re
from itertools import groupby
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.suites import processors
from conformance.tables import DOCS
from conformance.upstream.__main__ import main
from conformance.upstream.bug import FOLDER, FRAMEWORKS, Bug, Kind, read_bug, read_bugs
from conformance.upstream.page import PAGE, anchor, page, read_outputs
from conformance.upstream.running import Status, try_bugs

ROOT = DOCS.parent
BUGS = read_bugs()
GROUPS = {name: list(members) for name, members in groupby(BUGS, lambda b: b.group)}
MAY_IMPORT = {
    "onnxruntime": {"onnx", "onnxruntime"},
    "litert": {"_one_operator", "ai_edge_litert", "flatbuffers"},
    "keras": {"keras", "tensorflow"},
}
STANDARD = {"subprocess", "sys", "tempfile", "typing"}
HEAD = '"""PyTorch: it is wrong.\n\nKind: crash\nSays: s\nSeen: 1\nHere: h\n"""\nimport sys\n'


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.long
def test_the_bugs_are_there(group: str) -> None:
    found = list(try_bugs(GROUPS[group]))
    if all(f.status == Status.NOT_TRIED for f in found):
        pytest.skip(f"{FRAMEWORKS[group]} is not installed")
    mended = {f.bug.name: f.text for f in found if f.status == Status.MENDED}
    others = {f.bug.name: f.text for f in found if f.status not in (Status.THERE, Status.MENDED)}
    assert others == {}
    if processors.has(processors.WIDE):
        mended = {name: text for name, text in mended.items() if name not in processors.BUGS}
    if mended and not processors.has(processors.WIDE):
        pytest.skip(f"this processor has other kernels than those that were looked at: {mended}")
    assert not mended, f"mended upstream: {mended}"


def test_the_page_is_that_of_the_programs() -> None:
    text = PAGE.read_text()
    outputs = read_outputs(text)
    assert list(outputs) == [b.name for b in BUGS], "run `python -m conformance.upstream`"
    assert all(outputs.values())
    assert text == page(BUGS, outputs), "run `python -m conformance.upstream`"


def test_every_bug_has_a_place_of_its_own() -> None:
    assert len({anchor(b) for b in BUGS}) == len(BUGS)


@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.name)
def test_a_program_needs_its_framework_alone(bug: Bug) -> None:
    names = set()
    for node in ast.walk(ast.parse(bug.path.read_text())):
        if isinstance(node, ast.Import):
            names |= {a.name.partition(".")[0] for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    assert names - STANDARD - {"numpy"} <= MAY_IMPORT.get(bug.group, {bug.group})


@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.name)
def test_what_is_said_of_this_project_exists(bug: Bug) -> None:
    for name in re.findall(r"`([\w/]+\.py)`", bug.here):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"\]\(([\w/.]+)\)", bug.here):
        assert (DOCS / name).exists(), name


def write_program(folder: Path, name: str, code: str) -> Bug:
    path = folder / f"torch_{name}.py"
    path.write_text(HEAD + code)
    return read_bug(path)


@pytest.mark.parametrize(
    ("code", "status", "text"),
    [
        ("print('wrong')\nsys.exit(1)", Status.THERE, "wrong"),
        ("print('right')", Status.MENDED, "right"),
        ("sys.exit(2)", Status.NOT_TRIED, ""),
        ("sys.exit(True)", Status.THERE, ""),
        ("raise ValueError('broken')", Status.FAILED, "broken"),
        ("import os\nos.abort()", Status.LOST, "no result: exit status -6"),
        ("while True: pass", Status.LOST, "no result: not ready after 2 seconds"),
    ],
)
def test_programs_end_in_every_way(code: str, status: Status, text: str, tmp_path: Path) -> None:
    first = write_program(tmp_path, "first", "sys.exit(1)")
    before, found = try_bugs([first, write_program(tmp_path, "second", code)], timeout=2)
    assert before.status == Status.THERE
    assert found.status == status
    assert text in found.text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (HEAD.replace("PyTorch", "Torch"), "the name of its framework"),
        (HEAD.replace("Seen: 1\n", ""), "has the fields"),
        (HEAD.replace("crash", "bad"), "'bad' is not a valid Kind"),
        ("import sys\n", "the name of its framework"),
    ],
)
def test_a_docstring_of_another_form_is_refused(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "torch_it.py"
    path.write_text(text)
    with pytest.raises(ValueError, match=what):
        read_bug(path)


def test_a_docstring_is_read(tmp_path: Path) -> None:
    bug = write_program(tmp_path, "it", "")
    assert (bug.framework, bug.title, bug.kind) == ("PyTorch", "it is wrong", Kind.CRASH)
    assert (bug.says, bug.seen, bug.here) == ("s", "1", "h")


def test_the_command_checks() -> None:
    before = PAGE.read_bytes()
    done = CliRunner().invoke(main, ["--check", "--match", "^onnxruntime_pad"])
    assert done.exit_code == 0
    assert "onnxruntime_pad_before_max_pool: THERE" in done.stdout
    assert PAGE.read_bytes() == before


def test_only_programs_lie_beside_them() -> None:
    shared = {p.name for p in FOLDER.iterdir() if p.is_file()} - {b.path.name for b in BUGS}
    assert shared == {"_one_operator.py"}
