"""The command that finds a wrong operation: bisect."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nnir.errors import BadInput
from nnir.legible import legible
from nnir.progress import stage

from .. import api
from ..drawing import HTML, write_result
from ..outputs import keeping_sources
from ..terminal import (
    DEVICE,
    FILE,
    JSON,
    PROPERTIES,
    SEED,
    echo,
    loading,
    print_json,
    say,
    show,
)
from .running import INPUT, arrays_for_proof, inputs_of

if TYPE_CHECKING:
    from conformance.bisecting.finding import Finding


@click.command()
@FILE
@loading
@DEVICE
@PROPERTIES
@SEED
@INPUT
@click.option("--folder", type=click.Path(path_type=Path), help="Where to put what shows it.")
@click.option("--optimize", is_flag=True, help="Look at the model as --optimize converts it.")
@click.option("--tolerance", type=float, help="Of one operation; by precision when not given.")
@HTML
@JSON
def bisect(
    file: Path,
    device: str,
    properties: str,
    seed: int,
    given: tuple[str, ...],
    folder: Path | None,
    optimize: bool,
    tolerance: float | None,
    html: Path | None,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Find the first operation of FILE that is wrong, and put it into a folder of its own.

    Looks at one run, on given or random inputs.
    The folder holds the operation as a model, its inputs, both results and a script.
    """
    place = folder or Path(f"{file.name.removesuffix(file.suffix)}.bisect")
    if place.exists():
        raise BadInput(f"{str(place)!r} is there already: choose another with --folder")
    sources = [file, *(path for _, path in inputs_of(given))]
    with stage(f"bisecting {file.name}"), keeping_sources(sources, {"--html": html}, place):
        found = api.bisect(
            file,
            device,
            arrays_for_proof(file, how, given, seed),
            properties,
            folder=place,
            fuse=optimize,
            tolerance=tolerance,
            seed=seed,
            loading=how,
        )
    finding = found.finding
    if html is not None and found.model is not None:
        from ..looking.error_heat import heat_of_bisection

        write_result(found.model, file, html, heat_of_bisection(found))
    if found.note:
        say(legible(f"note: {found.note}"))
    if as_json:
        data = {"agrees": found.agrees, "operations": found.total, "compared": found.known}
        print_json(data | ({} if finding is None else {"finding": finding.as_dict()}))
    elif finding is None:
        click.echo(f"every operation agrees: {found.total}, {found.known} compared by name")
    else:
        _explain(finding, place)
    sys.exit(0 if found else 1)


def _explain(finding: Finding, place: Path) -> None:
    """A finding for people."""
    from conformance.bisecting.finding import KINDS

    show(
        ("", "finding"),
        [
            *(_where(finding) if finding.operation else ()),
            ("value", finding.value),
            ("what", KINDS[finding.kind]),
            ("device", finding.device),
            ("difference", finding.reason),
        ],
    )
    if finding.model is not None:
        echo(f"python {shlex.quote(str(place / 'show.py'))} shows it")


def _where(finding: Finding) -> list[tuple[str, str]]:
    """Which operation it is; there is none where only all of them together differ."""
    return [
        ("operation", f"{finding.operation} ({finding.position + 1} of {finding.total})"),
        ("in the source", finding.origin),
    ]
