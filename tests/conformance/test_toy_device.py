"""The example of a device: 80 lines, and every case of ONNX either agrees or is refused."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

from conformance.judging.result import PASS, REFUSED
from conformance.reports import against

from .installing import ROOT, command, entry_points, install

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


def test_it_agrees_or_refuses(tmp_path: Path) -> None:
    install(tmp_path, entry_points(EXAMPLE))
    words = ("conform", "--frontend", "onnx", "--device", "toychip", "--json", "run.json")
    done = command(words, tmp_path, EXAMPLE, home=tmp_path)
    assert done.returncode == 0, done.stdout
    counts = Counter(r.verdict for r in against.load(tmp_path / "run.json").results)
    assert set(counts) == {PASS, REFUSED}
    assert counts[PASS] > 300
    shown = command(("devices",), tmp_path, EXAMPLE, home=tmp_path)
    assert "toychip" in shown.stdout
