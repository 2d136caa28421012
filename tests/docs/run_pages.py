"""Run the blocks of pages: `python -m tests.docs.run_pages OUT SOURCES PAGE ...`

The pages of one framework share a process. Each has a folder and a namespace of its own;
`nnadapter` is called as its entry point does it, everything else is a command of the shell.
"""

from __future__ import annotations

import io
import json
import linecache
import os
import shlex
import subprocess
import sys
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from nnadapter.cli import main as nnadapter

from . import models
from .blocks import ROOT, Block, Page, commands, missing_lines, read_page

SHELL = frozenset("|&;<>$`")


def run_page(page: Page, folder: Path, sources: Path) -> list[str]:
    """What is wrong with a page, block by block; the first problem is the last."""
    folder.mkdir(parents=True)
    os.chdir(folder)
    scope: dict[str, Any] = {"__name__": "__page__"}
    for name in page.files:
        scope |= getattr(models, name)(folder, sources) or {}
    for block in page.blocks:
        if block.is_run:
            place = f"{page.name}:{block.line}"
            run = run_python if block.language == "python" else run_commands
            problem, printed = run(block, scope, place)
            if not problem and (lines := missing_lines(block.printed, printed)):
                problem = f"does not print {lines[0]!r}"
            if problem:
                return [f"{place}: {problem}\n{printed[-3000:]}"]
    return []


def run_python(block: Block, scope: dict[str, Any], place: str) -> tuple[str, str]:
    """Run Python; what is wrong, and what it printed."""
    out = io.StringIO()
    expected = block.said if block.word == "raises" else ""
    linecache.cache[place] = (len(block.text), None, block.text.splitlines(True), place)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            exec(compile(block.text, place, "exec"), scope)
    except Exception as error:  # noqa: BLE001 - whatever a page raises is told
        if expected and type(error).__name__ == expected:
            return "", f"{out.getvalue()}\n{error}"
        return f"{type(error).__name__}: {error}", out.getvalue() + traceback.format_exc()
    return (f"does not raise {expected}" if expected else ""), out.getvalue()


def run_commands(block: Block, scope: dict[str, Any], place: str) -> tuple[str, str]:
    """Run commands, which end well unless the page says otherwise of the last one."""
    printed = ""
    lines = list(commands(block.text))
    for line in lines:
        is_last = line is lines[-1]
        expected = int(block.said) if block.word == "status" and is_last else 0
        words = shlex.split(line, comments=True)
        plain = words[0] == "nnadapter" and not any(
            SHELL & set(w) for w in words if w[0] not in "'\""
        )
        status, text = call_nnadapter(words[1:]) if plain else call_shell(line)
        printed += text
        if status != expected:
            return f"`{line}` ends with status {status}, not {expected}", printed
    return "", printed


def call_nnadapter(words: list[str]) -> tuple[int, str]:
    """Run the command line in this process."""
    out = io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(out):
            nnadapter(words, prog_name="nnadapter")
    except SystemExit as left:
        return int(left.code or 0), out.getvalue()
    return 0, out.getvalue()


def call_shell(line: str) -> tuple[int, str]:
    """Run a command of the shell, which finds this `nnadapter`."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-ec", line],
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout


def main() -> None:
    """Write what is wrong with each page, and how long it took."""
    out, sources, *names = map(Path, sys.argv[1:])
    problems, seconds = {}, {}
    for name in names:
        started = time.perf_counter()
        page = read_page(ROOT / name)
        problems[page.name] = run_page(page, out.parent / page.name.replace("/", "-"), sources)
        seconds[page.name] = round(time.perf_counter() - started, 1)
    out.write_text(json.dumps({"problems": problems, "seconds": seconds}))


if __name__ == "__main__":
    main()
