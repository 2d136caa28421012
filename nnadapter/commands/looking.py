"""The commands that look at models: inspect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nnir.model import Model

from ..terminal import DIM, FILE, JSON, answer, busy, load, loading, print_json, say, sizes_of


@click.command()
@FILE
@loading
@DIM
@click.option("--layers", is_flag=True, help="A line for each operation too.")
@click.option("--text", is_flag=True, help="Print every operation as readable text, no more.")
@click.option("--dot", type=click.Path(path_type=Path), help="Write a graph for Graphviz.")
@click.option(
    "--html", type=click.Path(path_type=Path), help="Write the graph as a page for a browser."
)
@JSON
def inspect(
    file: Path,
    dims: tuple[str, ...],
    layers: bool,
    text: bool,
    dot: Path | None,
    html: Path | None,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Show what is in FILE: sizes, operations, FLOPs, memory, precisions.

    Open sizes count as --dim says, else as their lowest size that is not 0.
    """
    from ..looking import facts, telling

    model = load(file, how)
    if dot is not None:
        _write_dot(model, dot)
    if text:
        answer(str(model))
        return
    found = facts.facts(model, file, sizes_of(dims))
    if html is not None:
        _write_page(model, found, html)
    rows = list(facts.layers(model, found["sizes"])) if layers else []
    if as_json:
        print_json(found | ({"layers": rows} if layers else {}))
        return
    telling.tell(found)
    if layers:
        telling.tell_layers(rows)


def _write_page(model: Model, facts: dict[str, Any], path: Path) -> None:
    from ..looking import page

    with busy(f"drawing {path.name}"):
        page.write(model, facts, path)
    say(f"{path}: {path.stat().st_size:,} bytes")


def _write_dot(model: Model, path: Path) -> None:
    from nnir.dot import dot
    from nnir.staging import replacing

    with replacing(path) as out:
        out.write(dot(model).encode())
