"""A batch as one HTML page without a script: verdicts, sizes and reasons."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from conformance.reports.page import environment_of
from nnir.staging import replacing

from ..looking.units import say_bytes
from .records import GOOD, VERDICTS, BatchRun, Record

HERE = Path(__file__).parent
MOST = 20_000
"""Rows of conversions; the others are only counted."""

LONGEST = 160
"""Characters of a reason by which failures are grouped."""


def write(run: BatchRun, path: Path) -> None:
    """Write the page; the file appears whole or not at all."""
    text = render(run, path.absolute().parent)
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def render(run: BatchRun, folder: Path) -> str:
    """The text of the page; paths are shown from `folder`."""
    order = list(VERDICTS)
    rows = sorted(run.records, key=lambda r: (order.index(r.verdict), r.source))
    environment = environment_of(HERE)
    environment.filters.update(
        number="{:,}".format,
        bytes=say_bytes,
        digits="{:.1e}".format,
        seconds="{:,.1f}".format,
        near=lambda path: os.path.relpath(path, folder),
    )
    return str(
        environment.get_template("batch.html").render(
            run=run,
            verdicts=VERDICTS,
            good=GOOD,
            reasons=reasons_of(rows),
            rows=rows[:MOST],
            left_out=max(0, len(rows) - MOST),
            style=(HERE / "batch.css").read_text(encoding="utf-8"),
        )
    )


def reasons_of(records: Sequence[Record]) -> list[tuple[str, str, int]]:
    """Why conversions failed: verdict, reason and how many, the most frequent first."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    for record in records:
        if not record.is_good:
            found[record.verdict, record.reason[:LONGEST]] += 1
    groups = [(verdict, reason, count) for (verdict, reason), count in found.items()]
    return sorted(groups, key=lambda group: (-group[2], group))
