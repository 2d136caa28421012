"""The command that says how fast a model is on each device."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nnir.progress import stage

from ..terminal import (
    DIM,
    FILE,
    JSON,
    PROPERTIES,
    answer,
    load,
    loading,
    print_json,
    show,
    sizes_of,
)
from .running import INPUT, arrays_of, inputs_of

if TYPE_CHECKING:
    from ..racing import DeviceTime

COLUMNS = ("device", "ms", "first run ms", "compiling ms", "left out")


@click.command()
@FILE
@loading
@click.option("--device", default="", help="Devices with commas between (default: all).")
@PROPERTIES
@INPUT
@DIM
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="How long each device is measured.",
)
@JSON
def benchmark(
    file: Path,
    device: str,
    properties: str,
    given: tuple[str, ...],
    dims: tuple[str, ...],
    seconds: float,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Say how fast FILE is on each device, on given or random inputs.

    Every device is proved against the references first; one that gives something else is left out.
    It ends with 1 where none is right.
    """
    from ..benchmarking import benchmark as run

    model = load(file, how)
    sizes = sizes_of(dims)
    inputs = arrays_of(model, inputs_of(given), sizes) if given else None
    with stage(f"benchmarking {file.name}"):
        sized = None if inputs is not None else sizes
        found = run(model, device, inputs, properties, sizes=sized, seconds=seconds)
    is_right = any(not row.left_out for row in found.rows)
    if as_json:
        print_json(found.as_dict())
        sys.exit(0 if is_right else 1)
    sizes_said = ", ".join(f"{name}={size}" for name, size in found.sizes.items())
    show(COLUMNS, [_cells(row) for row in found.rows], f"{file.name} {sizes_said}".strip())
    if is_right:
        answer(f"the fastest: --device {found.fastest}")
    sys.exit(0 if is_right else 1)


def _cells(row: DeviceTime) -> tuple[str, ...]:
    times = (row.milliseconds, row.first_milliseconds, row.compile_milliseconds)
    return (row.device, *("" if t is None else f"{t:.3g}" for t in times), row.left_out)
