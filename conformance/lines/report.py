"""Lines that no case runs, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.table import Column, Table

from .reading import Function, Place


def table_of(found: Sequence[Place]) -> Table:
    """A line a place."""
    table = Table(Column("place", no_wrap=True), "statements", "not run", "not refused", "run")
    for place in found:
        numbers = place.total, place.missing, place.refusals
        table.add_row(place.name, *map(str, numbers), f"{100 * place.share:.1f} %")
    return table


def lines_of(functions: Iterable[Function]) -> str:
    """What no case runs, a line a function."""
    found = (f for f in functions if f.missing)
    return "\n".join(f"{f.file} {f.name}: {spans_of(f.missing)}" for f in found)


def spans_of(numbers: Sequence[int]) -> str:
    """Numbers in words; those that follow each other as one span."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
