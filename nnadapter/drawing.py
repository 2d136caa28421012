"""The page of a model's graph, as the commands write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nnir.model import Model
from nnir.progress import stage

from .terminal import say

if TYPE_CHECKING:
    from .looking.heat import Heat

F = TypeVar("F", bound=Callable[..., Any])


PATH = click.Path(path_type=Path)


def _require_templates(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Unsupported before any work where pages cannot be made."""
    if path is not None:
        from conformance.reports.page import require_templates

        require_templates()
    return path


def page_option(text: str, name: str = "html", kind: click.Path = PATH) -> Callable[[F], F]:
    """The option of a command that writes a page, which its function receives as `name`."""
    return click.option("--html", name, type=kind, help=text, callback=_require_templates)


HTML = page_option("Write the model's graph in the colours of the result, as a page for a browser.")


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
