"""What the commands share: options, tables, JSON, and talk on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from nnir.errors import printable
from nnir.model import Model

from . import api

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
DEVICE = click.option("--device", default="onnxruntime", show_default=True, help="Where to run.")
PROPERTIES = click.option("--properties", default="", help="KEY=value; text for the device.")
SEED = click.option("--seed", default=0, show_default=True, help="Seed of random inputs.")
FILE = click.argument("file", type=click.Path(path_type=Path))


def show(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> None:
    """A table on stdout."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    heading = None if title is None else Text(printable(title))
    table = Table(*columns, title=heading, title_justify="left")
    for row in rows:  # names come from files: no markup, no escape sequences
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(table)


def print_json(data: Any) -> None:
    """Results for programs, on stdout."""
    click.echo(json.dumps(data, indent=1, default=str))


def say(text: str) -> None:
    """Talk to a person, on stderr."""
    click.echo(text, err=True)


@contextmanager
def busy(text: str) -> Iterator[None]:
    """A spinner on stderr while a person waits."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(printable(text).replace("[", "(")):
        yield


def load(file: Path) -> Model:
    """Load a model, with a spinner."""
    with busy(f"reading {file.name}"):
        return api.load(file)
