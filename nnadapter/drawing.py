"""The page of a model's graph, as the commands write it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nnir.model import Model
from nnir.progress import stage

from .terminal import say

if TYPE_CHECKING:
    from .looking.heat import Heat

HTML = click.option(
    "--html",
    type=click.Path(path_type=Path),
    help="Write the model's graph in the colours of the result, as a page for a browser.",
)


def write_page(
    model: Model, facts: Mapping[str, Any], path: Path, heat: Heat | None = None
) -> None:
    """Write the page and say so; `heat` is a result that colours the graph."""
    from .looking import page

    with stage(f"drawing {path.name}"):
        page.write(model, facts, path, heat=heat)
    say(f"{path}: {path.stat().st_size:,} bytes")


def write_result(model: Model, source: Path, path: Path, heat: Heat) -> None:
    """Write the page of a model that was read from `source`."""
    from .looking.facts import facts

    write_page(model, facts(model, source), path, heat)
