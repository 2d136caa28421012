"""The differences of two models as one HTML page, side by side; it has no script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from conformance.reports.page import environment_of
from nnir.staging import replacing

from .difference import SAME, Difference, Row
from .units import say_bytes, say_count

HERE = Path(__file__).parent
AROUND = 3
"""Operations that are the same stand beside others; more of them are folded."""

MOST = 5000
"""Rows of operations, and of weights; the others are only counted."""


def write(found: Difference, names: tuple[str, str], path: Path, *, is_equal: bool) -> None:
    """Write the page; the file appears whole or not at all."""
    text = render(found, names, is_equal=is_equal)
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def render(found: Difference, names: tuple[str, str], *, is_equal: bool) -> str:
    """The text of the page."""
    weights = [w for w in found.weights if w.state != SAME or w.renamed]
    blocks, left_out = limit_blocks([*fold(found.rows)])
    environment = environment_of(HERE)
    environment.filters.update(number="{:,}".format, digits="{:.3g}".format)
    template = environment.get_template("difference.html")
    return str(
        template.render(
            found=found,
            names=names,
            is_equal=is_equal,
            overview=overview(found),
            ends=found.ends,
            blocks=blocks,
            left_out=left_out,
            weights=weights[:MOST],
            more_weights=max(0, len(weights) - MOST),
            equal_weights=sum(w.state == SAME for w in found.weights),
            style=(HERE / "difference.css").read_text(encoding="utf-8"),
        )
    )


def overview(found: Difference) -> list[tuple[str, str, str]]:
    """What is counted of both models."""
    sides = (found.left, found.right)
    columns = {
        "Name": [side["name"] for side in sides],
        "Producer": [side["producer"] or "not said" for side in sides],
        "Opset": [side["opset"] or "not said" for side in sides],
        "Operations": [f"{sum(side['operations'].values()):,}" for side in sides],
        "Parameters": [f"{side['parameters']:,}" for side in sides],
        "Weights": [say_bytes(side["bytes"]) for side in sides],
        "FLOPs": [say_count(side["flops"]) for side in sides],
    }
    return [(key, left, right) for key, (left, right) in columns.items()]


def fold(rows: Sequence[Row]) -> Iterator[tuple[int, list[Row]]]:
    """Runs of rows: how many equal ones are folded before each, and what is shown of it."""
    is_near = bytearray(len(rows))
    for place, row in enumerate(rows):
        if row.state != SAME or row.is_renamed:
            for near in range(max(0, place - AROUND), min(len(rows), place + AROUND + 1)):
                is_near[near] = 1
    folded, shown = 0, list[Row]()
    for row, near in zip(rows, is_near, strict=True):
        if near:
            shown.append(row)
            continue
        if shown:
            yield folded, shown
            folded, shown = 0, []
        folded += 1
    if folded or shown:
        yield folded, shown


def limit_blocks(blocks: list[Any]) -> tuple[list[Any], int]:
    """The blocks that there is room for, and how many rows are left out."""
    kept, room = [], MOST
    for folded, rows in blocks:
        if rows and room <= 0:
            break
        kept.append((folded, rows[:room]))
        room -= len(rows)
    return kept, sum(len(r) for _, r in blocks) - sum(len(r) for _, r in kept)
