"""The examples of devices, in Python and in C: every case of ONNX either agrees or is refused."""

from __future__ import annotations

import ast
import io
import shutil
import subprocess
import tokenize
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.judging.result import PASS, REFUSED
from conformance.reports import against

from .installing import ROOT, Home, command

Run = Callable[..., subprocess.CompletedProcess[str]]
COMPILER = shutil.which("cc")
EXAMPLE = ROOT / "examples" / "device"
SKIPPED = frozenset(
    {
        *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT),
        *(tokenize.DEDENT, tokenize.ENDMARKER),
    }
)


def code_lines(source: str) -> int:
    """The lines of a file that are neither empty nor comments or docstrings."""
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in SKIPPED:
            found.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                found -= set(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(found)


def test_it_is_short() -> None:
    assert code_lines("'''text'''\n\nx = 1  # y\n# z\ndef f():\n    'text'\n    return x\n") == 3
    assert code_lines((EXAMPLE / "toychip" / "device.py").read_text()) <= 80


def check_run(run: Run, folder: Path, device: str, least: int) -> None:
    """Run the cases of ONNX on a device: all agree or are refused, and its page has them."""
    words = ("conform", "--frontend", "onnx", "--device", device, "--json", "run.json")
    done = run(*words, "--html", "page.html")
    assert done.returncode == 0, done.stdout
    counts = Counter(r.verdict for r in against.load(folder / "run.json").results)
    assert set(counts) == {PASS, REFUSED}
    assert counts[PASS] > least
    assert f"{device}" in (folder / "page.html").read_text()
    shown = run("devices")
    assert device in shown.stdout


@pytest.mark.long
def test_the_device_in_python(tmp_path: Path) -> None:
    home = Home.with_package(tmp_path, EXAMPLE)
    check_run(home.nnadapter, tmp_path, "toychip", 300)


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
@pytest.mark.long
def test_the_device_in_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drivers = tmp_path / "drivers"
    drivers.mkdir()
    flags = ["-std=c11", "-shared", "-fPIC", "-I", str(ROOT / "hal" / "include")]
    target = ["-o", str(drivers / "libsample.so"), str(ROOT / "examples" / "driver" / "sample.c")]
    subprocess.run([str(COMPILER), *flags, *target], check=True)
    monkeypatch.setenv("NNADAPTER_DEVICE_PATH", str(drivers))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return command(words, tmp_path, home=tmp_path)

    check_run(run, tmp_path, "sample", 300)
