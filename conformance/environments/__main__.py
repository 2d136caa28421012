"""Install the oldest version of each framework and engine that the extras allow, and ask it."""

from __future__ import annotations

import sys

import click

from nnir.errors import NNAdapterError, summary

from .oldest import COLUMNS, PAGE, Row, ask_oldest, read_bounds, write_rows
from .recipes import RECIPES


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice([*RECIPES]))
@click.option("--write", is_flag=True, help=f"Put what is found into docs/{PAGE.name}.")
def main(names: tuple[str, ...], *, write: bool) -> None:
    """Print a table; exit status 1 where a version could not be asked."""
    rows: list[Row] = []
    is_asked = True
    for name, version in read_bounds().items():
        if names and name not in names:
            continue
        try:
            rows += ask_oldest(name, version, lambda text: click.echo(text, err=True))
        except NNAdapterError as error:
            is_asked = False
            click.echo(f"{name} {version}: {summary(error)}", err=True)
    click.echo(f"| {' | '.join(COLUMNS)} |")
    click.echo("".join(row.text for row in rows), nl=False)
    if write:
        write_rows(rows)
    sys.exit(0 if is_asked else 1)


if __name__ == "__main__":
    main()
