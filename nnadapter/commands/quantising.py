"""The command that quantises a model."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nnir.progress import stage
from nnir.quantisation import METHODS, WEIGHT_METHODS

from ..drawing import HTML
from ..terminal import DIM, FILE, JSON, answer, loading, print_json, say, show, sizes_of

if TYPE_CHECKING:
    from ..quantisation.report import Quantized, Row

NOISIEST = 10
OUTPUTS = ("output", "signal to noise", "largest elements agree")
COLUMNS = ("operation", "operator", "computes with", "signal to noise", "why")


@click.command()
@FILE
@loading
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--data",
    required=True,
    help="Calibration data: an .npz file, or a folder of .npz or .npy files; or `random`.",
)
@click.option("--evaluate", help="Other data to measure on.")
@click.option(
    "--weights",
    type=click.Choice(["int8", "int4", "uint4"]),
    default="int8",
    show_default=True,
    help="What constants become.",
)
@click.option(
    "--activations",
    type=click.Choice(["int8", "uint8", "int16", "float"]),
    default="int8",
    show_default=True,
    help="What operations pass on; float leaves all but weights as it is.",
)
@click.option("--block", type=click.IntRange(0), default=0, help="So many weights share a scale.")
@click.option(
    "--weight-method",
    type=click.Choice(WEIGHT_METHODS),
    default="nearest",
    show_default=True,
    help="Round to the nearest integers, or by what weights are multiplied with on the data.",
)
@click.option("--weight-zero-points", is_flag=True, help="Each scale of weights has a zero point.")
@click.option("--per-tensor", is_flag=True, help="One scale for all filters of an operation.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="minmax",
    show_default=True,
    help="How the ranges of activations are chosen.",
)
@click.option("--percentile", type=float, default=99.99, show_default=True, help="For --method.")
@click.option("--symmetric", is_flag=True, help="0 is in the middle of the ranges.")
@click.option(
    "--reduce-range", is_flag=True, help="7 bits of weights, for processors without VNNI."
)
@click.option(
    "--keep-float",
    multiple=True,
    metavar="NAME",
    help="Operations or operators that stay as they are, with * and ?; auto: the noisiest ones.",
)
@click.option("--min-sqnr", type=float, metavar="DB", help="Keep as many float as this needs.")
@click.option("--equalize", is_flag=True, help="Scale channels between convolutions alike.")
@click.option("--no-correct-bias", is_flag=True, help="Leave biases as they are.")
@click.option("--integer-io", is_flag=True, help="Inputs and outputs are integers too.")
@click.option("--device", help="Where to look at values (default: onnxruntime, else builtin).")
@DIM
@click.option("--no-verify", is_flag=True, help="Do not open the file in its engine.")
@click.option("--layers", is_flag=True, help="List every operation.")
@HTML
@JSON
def quantize(
    file: Path,
    target: Path,
    data: str,
    dims: tuple[str, ...],
    per_tensor: bool,
    no_correct_bias: bool,
    no_verify: bool,
    layers: bool,
    html: Path | None,
    as_json: bool,
    how: dict[str, Any],
    **options: Any,
) -> None:
    """Write FILE as TARGET with integers in place of real numbers, by what it does on data.

    TARGET (.onnx, .xml, .tflite, .nnapi or .nnir) appears once its stock engine was asked how like
    the original it is.
    """
    from ..quantisation import face

    with stage(f"quantising {file.name}"), warnings.catch_warnings():
        warnings.simplefilter("always", face.QuantizationWarning)  # the command line tells them
        found = face.quantize(
            file,
            data,
            target,
            per_channel=not per_tensor,
            correct_bias=not no_correct_bias,
            verify=not no_verify,
            sizes=sizes_of(dims),
            page=html,
            **options,
            **how,
        )
    if as_json:
        print_json({"written": str(target), **found.as_dict()})
        return
    _tell(found, layers=layers)
    size = target.stat().st_size
    proof = ", NOT VERIFIED" if no_verify or found.notes else f", measured in {found.device}"
    answer(f"{target}: {len(found.integer)} operations with integers, {size} bytes{proof}")


def _tell(found: Quantized, *, layers: bool) -> None:
    """The results, then what is noisy and what stayed as it was."""
    from ..looking.noise_heat import say_ratio

    rows = [
        (name, say_ratio(ratio), "" if (a := found.agreement[name]) is None else f"{a:.1%}")
        for name, ratio in found.sqnr.items()
    ]
    show(OUTPUTS, rows, f"{found.samples} samples, on {found.device}")
    shown = found.rows if layers else _noisiest(found.integer)
    title = "every operation" if layers else "the noisiest operations with integers"
    show(COLUMNS, [_cells(r) for r in shown], title)
    reasons = Counter(r.reason for r in found.rows if r.reason)
    for reason, count in reasons.most_common():
        say(f"{count} with real numbers: {reason}")


def _noisiest(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda r: r.sqnr if r.sqnr is not None else 0.0)[:NOISIEST]


def _cells(row: Row) -> tuple[str, ...]:
    from ..looking.noise_heat import say_ratio

    ratio = "" if row.sqnr is None else say_ratio(row.sqnr)
    return (row.operation, row.operator, row.kind, ratio, row.reason)
