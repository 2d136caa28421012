"""Say which lines no case runs: `python -m conformance.lines FOLDER`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from nnir.errors import NNAdapterError, summary

from .reading import places, read_lines
from .report import lines_of, table_of


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
