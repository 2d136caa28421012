"""The command that says what 16 bits would do to a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nnir.progress import stage

from ..terminal import DIM, FILE, JSON, answer, loading, print_json, show, sizes_of

if TYPE_CHECKING:
    from ..scanning import ScanRow

SHOWN = 20
COLUMNS = ("operation", "operator", "largest", "overflows", "vanishes", "signal to noise", "why")


@click.command()
@FILE
@loading
@click.option(
    "--precision",
    type=click.Choice(["float16", "bfloat16"]),
    default="float16",
    show_default=True,
    help="What real numbers would become.",
)
@click.option(
    "--data",
    default="random",
    show_default=True,
    help="An .npz file, or a folder of .npz or .npy files; or `random`.",
)
@click.option("--device", help="Where to look at values (default: onnxruntime, else builtin).")
@DIM
@click.option("--layers", is_flag=True, help="List every operation.")
@JSON
def scan(
    file: Path,
    precision: str,
    data: str,
    device: str | None,
    dims: tuple[str, ...],
    layers: bool,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Say which operations of FILE overflow, vanish or lose their digits in 16 bits, on data.

    It ends with 1 where some do, with the options of `convert` that leave these in float32.
    """
    from ..scanning import scan as run

    with stage(f"scanning {file.name}"):
        found = run(file, data, precision=precision, sizes=sizes_of(dims), device=device, **how)
    if as_json:
        print_json(found.as_dict())
        sys.exit(0 if found else 1)
    worst = sorted(found.rows, key=lambda r: (not r.verdict, _ratio(r)))
    shown = found.rows if layers else worst[: max(SHOWN, len(found.keep))]
    title = f"{file.name} in {precision}: {found.samples} samples, on {found.device}"
    show(COLUMNS, [_cells(r) for r in shown], title)
    if found:
        answer(f"{precision} holds all {len(found.rows)} operations on this data")
    else:
        options = " ".join(f"--keep-fp32 '{name}'" for name in found.keep)
        answer(f"nnadapter convert {file} TARGET --precision {precision} {options}")
    sys.exit(0 if found else 1)


def _ratio(row: ScanRow) -> float:
    return float("inf") if row.sqnr is None else row.sqnr


def _cells(row: ScanRow) -> tuple[str, ...]:
    from ..looking.noise_heat import say_ratio

    return (
        row.operation,
        row.operator,
        f"{row.largest:.3g}",
        f"{row.overflows:.1%}" if row.overflows else "",
        f"{row.vanishes:.1%}" if row.vanishes else "",
        "" if row.sqnr is None else say_ratio(row.sqnr),
        row.verdict,
    )
