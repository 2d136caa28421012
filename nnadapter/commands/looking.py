"""The commands that look at models: inspect, diff."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from nnir.model import Model
from nnir.progress import stage

from ..drawing import page_option, write_page
from ..outputs import keeping_sources
from ..terminal import DIM, FILE, JSON, SEED, answer, load, loading, print_json, say, sizes_of

HOW_TO_RUN = frozenset({"device", "tolerance", "seed", "dims"})


@click.command()
@FILE
@loading
@DIM
@click.option("--layers", is_flag=True, help="A line for each operation too.")
@click.option("--text", is_flag=True, help="Print every operation as readable text alone.")
@click.option("--dot", type=click.Path(path_type=Path), help="Write a graph for Graphviz.")
@page_option("Write the graph as a page for a browser.")
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

    if text:
        _require_alone({"--layers": layers, "--json": as_json, "--dim": bool(dims) and not html})
    with keeping_sources([file], {"--dot": dot, "--html": html}):
        model = load(file, how)
    if dot is not None:
        _write_dot(model, dot)
    if text:
        if html is not None:
            write_page(model, facts.facts(model, file, sizes_of(dims)), html)
        answer(str(model))
        return
    found = facts.facts(model, file, sizes_of(dims))
    if html is not None:
        write_page(model, found, html)
    rows = list(facts.layers(model, found["sizes"])) if layers else []
    if as_json:
        print_json(found | ({"layers": rows} if layers else {}))
        return
    telling.tell(found)
    if layers:
        telling.tell_layers(rows)


def _require_alone(others: Mapping[str, bool]) -> None:
    """UsageError where more is asked for than the text of operations."""
    if asked := [option for option, is_given in others.items() if is_given]:
        raise click.UsageError(
            f"--text prints the operations and nothing else: leave {', '.join(asked)} away"
        )


def _write_dot(model: Model, path: Path) -> None:
    from nnir.dot import dot
    from nnir.staging import replacing

    with replacing(path) as out:
        out.write(dot(model).encode())


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--run", "runs", is_flag=True, help="Compare results on the same random inputs too.")
@click.option("--device", default="builtin", show_default=True, help="Where --run runs both.")
@click.option("--tolerance", type=float, help="Of --run, as for verify; by precision by default.")
@SEED
@DIM
@click.option("--ignore-names", is_flag=True, help="What is only called otherwise is equal.")
@page_option("Write the models side by side as a page.")
@JSON
def diff(
    first: Path,
    second: Path,
    runs: bool,
    device: str,
    tolerance: float | None,
    seed: int,
    dims: tuple[str, ...],
    ignore_names: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """Compare the models FIRST and SECOND, of any formats: structure, names, weights, results.

    The exit status is 0 where they are equal and 1 where they differ.
    """
    from .. import api
    from ..looking import telling

    if not runs:
        _require_run(click.get_current_context())
    with stage(f"comparing {first.name} and {second.name}"):
        found = api.diff(
            first,
            second,
            device if runs else None,
            page=html,
            seed=seed,
            sizes=sizes_of(dims),
            tolerance=tolerance,
            ignore_names=ignore_names,
        )
    if html is not None:
        say(f"{html}: {html.stat().st_size:,} bytes")
    if as_json:
        print_json(found.as_dict())
    else:
        telling.tell_difference(found)
        answer("equal" if found else "different")
    sys.exit(0 if found else 1)


def _require_run(context: click.Context) -> None:
    """UsageError for options that say how to run where nothing is run."""
    given = [
        option.opts[0]
        for option in context.command.params
        if option.name in HOW_TO_RUN
        and context.get_parameter_source(option.name) != ParameterSource.DEFAULT
    ]
    if given:
        raise click.UsageError(f"{', '.join(given)} without --run: results are compared with it")
