"""Write the ledgers anew: `python -m conformance.ledger [FRONTEND ...]`; needs every framework."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console

from nnir.staging import replacing

from ..judging.result import GOOD, Run
from ..lines.reading import places, read_lines
from ..lines.report import lines_of, table_of
from ..running.conform import conform
from ..running.suite import Options
from ..suites.processors import kind
from . import FOLDER, FRONTENDS, PROCESSOR, devices_of, differences, make, path_of, read, text_of
from .states import ROOT, note, state_of

LINES = ROOT / "build" / "lines"
UNCOVERED = FOLDER / "lines.txt"
STATE = "state"
WIDTH = 100
"""Columns of the table of lines."""

PATIENCE = 600.0
"""Seconds that a worker has for what it is handed at once: writing down lines takes its time."""


def main(frontends: Sequence[str]) -> int:
    """Run every case on every device; 1 where something is wrong, which is not written."""
    failed = 0
    for frontend in frontends or FRONTENDS:
        state, lines = state_of(frontend), LINES / frontend
        shutil.rmtree(lines, ignore_errors=True)
        devices = devices_of(frontend)
        options = Options(frontends=(frontend,), devices=devices, yardstick=False, fresh=True)
        run = conform(replace(options, lines=str(lines), timeout=PATIENCE), jobs=1)
        if not write(frontend, run):
            failed = 1
            continue
        note(frontend, state)
        (lines / STATE).write_text(state)
        if all(is_here(name) for name in FRONTENDS):
            write_uncovered()
    return failed


def write(frontend: str, run: Run) -> bool:
    """Write what became of all cases of a frontend, unless something is wrong, which is told."""
    wrong = [r for r in run.results if r.verdict not in GOOD]
    for result in wrong:
        click.echo(f"{result.case} on {result.device}: {result.verdict} {result.reason[:300]}")
    if wrong or run.skipped:
        click.echo(f"{frontend}: not written; {len(wrong)} wrong, skipped: {run.skipped}")
        return False
    path = path_of(frontend)
    kept = read(frontend) if path.exists() else {}
    for line in differences(kept, run.results) if kept else ():
        click.echo(line)
    with replacing(path) as file:
        file.write(text_of(make(run.results, kept), frontend).encode())
    with replacing(PROCESSOR) as file:
        file.write(f"{kind()}\n".encode())
    click.echo(f"{frontend}: {len(run.results)} results written to {path.name}")
    return True


def is_here(frontend: str) -> bool:
    """Whether the lines that the cases of a frontend run are known, of the code that is here."""
    state: Path = LINES / frontend / STATE
    return state.exists() and state.read_text() == state_of(frontend)


def write_uncovered() -> None:
    """Write which lines of converters and lowerings no case of any frontend runs."""
    found = places(read_lines(LINES))
    with replacing(UNCOVERED) as file, open(file.fileno(), "w", closefd=False) as text:
        Console(file=text, width=WIDTH).print(table_of(found))
        text.write(lines_of(f for place in found for f in place.functions) + "\n")
    click.echo(f"lines that no case runs written to {UNCOVERED.name}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
