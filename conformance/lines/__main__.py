"""Say which lines no case runs: `python -m conformance.lines FOLDER`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Column, Table

from nnir.errors import NNAdapterError, summary

from .reading import Function, Place, places, read_lines


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


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--list", "is_listed", is_flag=True, help="Name the lines of every function.")
@click.option("--at-least", type=float, help="End with 1 where a place has less than so many %.")
def main(folder: Path, is_listed: bool, at_least: float | None) -> None:
    """Print the share of statements that the cases run, of every frontend and driver."""
    try:
        found = places(read_lines(folder))
    except NNAdapterError as error:
        raise click.ClickException(summary(error)) from None
    Console().print(table_of(found))
    if is_listed:
        click.echo(lines_of(f for place in found for f in place.functions))
    poor = [p.name for p in found if at_least is not None and 100 * p.share < at_least]
    if poor:
        raise click.ClickException(f"less than {at_least} % of {', '.join(poor)} is run by a case")


if __name__ == "__main__":
    main(prog_name="python -m conformance.lines")
