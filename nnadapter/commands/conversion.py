"""Commands that convert and verify."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from nnir import archive
from nnir.model import Model
from nnir.progress import stage

from .. import api, conversion
from ..drawing import HTML, write_result
from ..outputs import keeping_sources
from ..readiness.report import FixedSize
from ..terminal import (
    DEVICE,
    DIM,
    FILE,
    JSON,
    PROPERTIES,
    SEED,
    answer,
    load,
    loading,
    print_json,
    say,
    show,
    sizes_of,
)
from .running import INPUT, arrays_for_proof, inputs_of

if TYPE_CHECKING:
    from conformance.verifying.verify import Report
    from nnir.precision import Narrowed


@click.command()
@FILE
@loading
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--optimize", is_flag=True, help="Fuse operations first.")
@click.option("--target-opset", type=int, help="The operator set of an .onnx file (13 to 25).")
@click.option(
    "--opset",
    type=click.Choice(["v1", "v1.1"]),
    help="Write it in the operators of this version of the standard.",
)
@click.option(
    "--level",
    type=click.Choice(["exact", "rounding", "unrolled"]),
    help="What --opset may change: nothing (the default), the last digits, or also unroll loops.",
)
@click.option(
    "--quantised-types",
    is_flag=True,
    help="Let operations of a .nnir file work on the quantised operands of the standard.",
)
@click.option(
    "--precision",
    type=click.Choice(["float16", "bfloat16", "float32"]),
    help="What real numbers become. In 16 bits inputs and outputs stay float32; float32 is for "
    "models in float64, whose inputs and outputs change too.",
)
@click.option(
    "--keep-fp32",
    multiple=True,
    metavar="NAME",
    help="Operations or operators that --precision leaves in float32, with * and ?.",
)
@click.option(
    "--weights-only", is_flag=True, help="Let --precision change weights, and nothing else."
)
@DIM
@click.option("--no-verify", is_flag=True, help="Do not compare with the origin framework.")
@click.option("--keep", is_flag=True, help="Write a file that differs as NAME.differs.SUFFIX.")
@JSON
def convert(
    file: Path,
    target: Path,
    optimize: bool,
    target_opset: int | None,
    opset: str | None,
    level: str | None,
    quantised_types: bool,
    precision: str | None,
    keep_fp32: tuple[str, ...],
    weights_only: bool,
    dims: tuple[str, ...],
    no_verify: bool,
    keep: bool,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Write FILE as TARGET: .nnir, .onnx, .xml (OpenVINO IR), .tflite, .nnapi, .nnrt or .pt2.

    TARGET appears once it is proved: run as its users run it, and compared with the origin
    framework. PyTorch writes .pt2, so that it needs nnadapter[torch]; the others need nothing.
    """
    if level and not opset:
        raise click.UsageError("--level says how --opset may write the model: give --opset v1.1")
    if quantised_types and target.suffix != archive.SUFFIX:
        raise click.UsageError(f"--quantised-types writes {archive.SUFFIX} files alone")
    if (keep_fp32 or weights_only) and not precision:
        raise click.UsageError("--keep-fp32 and --weights-only go with --precision float16")
    if keep_fp32 and precision == "float32":
        raise click.UsageError("--keep-fp32 goes with 16 bits: --precision float32 is all float32")
    plan = conversion.Plan(
        opset=target_opset,
        sizes=sizes_of(dims),
        optimize=optimize,
        verify=not no_verify,
        keep=keep,
        standard=opset,
        level=level or "exact",
        quantised_types=quantised_types,
        precision=precision,
        keep_float32=keep_fp32,
        weights_only=weights_only,
    )
    with stage(f"converting {file.name}"):
        done = conversion.convert(file, target, plan, lambda: load(file, how), api.load)
    if optimize:
        say("passes: " + (", ".join(done.passes) or "nothing to do"))
    if done.narrowed is not None:
        _tell_narrowed(done.narrowed, precision)
    size = target.stat().st_size
    result = {"written": str(target), "bytes": size, "fixed": _tell_fixed(done.fixed)}
    if done.report is None:
        say("NOT VERIFIED: --no-verify")
    else:
        result |= _tell_proof(target, done.report)
    if as_json:
        print_json(result)
    else:
        is_proved = done.report is not None and not done.report.unproved
        proof = "" if is_proved else ", NOT VERIFIED"
        answer(f"{target}: {len(done.model.operations)} operations, {size} bytes{proof}")


def _tell_fixed(fixed: Sequence[FixedSize]) -> list[dict[str, Any]]:
    """The sizes that were open in the source, on stderr and for JSON."""
    for size in fixed:
        say(str(size))
    return [asdict(size) for size in fixed]


def _tell_narrowed(narrowed: Narrowed, precision: str | None) -> None:
    """What has another precision and what has not, on stderr."""
    say(f"{precision}: {narrowed.count} operations, {len(narrowed.kept)} stay as they are")
    for reason, count in Counter(narrowed.kept.values()).most_common():
        say(f"  {count} x {reason}")
    if narrowed.bounded:
        say(f"  stands for infinity, and is the largest number now: {', '.join(narrowed.bounded)}")


def _tell_proof(target: Path, report: Report) -> dict[str, Any]:
    """How a file was proved, on stderr and for JSON."""
    for text in report.unproved:
        say(f"NOT VERIFIED {text}")
    verdict = "compared meanwhile" if report.unproved else "verified"
    say(
        f"{verdict}: {target.name} in {report.device} agrees with {report.origin} in "
        f"{report.trials} trials, largest relative error {report.largest:.1e}"
    )
    for text in report.notes:
        say(f"note: {text}")
    found = report.as_dict()
    return {"verified": None, "compared": found} if report.unproved else {"verified": found}


@click.command()
@FILE
@loading
@DEVICE
@PROPERTIES
@SEED
@INPUT
@click.option("--tolerance", type=float, help="Largest error relative to an output's magnitude.")
@HTML
@JSON
def verify(
    file: Path,
    device: str,
    properties: str,
    seed: int,
    given: tuple[str, ...],
    tolerance: float | None,
    html: Path | None,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Compare FILE on a device with its origin framework, on given or random inputs."""
    sources = [file, *(path for _, path in inputs_of(given))]
    with stage(f"verifying {file.name}"), keeping_sources(sources, {"--html": html}):
        inputs = arrays_for_proof(file, how, given, seed)
        report = api.verify(
            file, device, inputs, properties, tolerance=tolerance, seed=seed, loading=how
        )
    if as_json:
        print_json(report.as_dict())
    else:
        rows = [
            (
                r.output,
                r.type,
                "yes" if r.agrees else "NO",
                f"{r.max_absolute:.2e}",
                f"{r.max_relative:.2e}",
                f"{r.max_ulp:.0f}",
                r.problem or "",
            )
            for r in report.rows
        ]
        columns = ("output", "type", "agrees", "max abs", "max rel", "max ulp", "problem")
        show(columns, rows, f"{file.name}: {device} against {report.origin}")
    for text in report.notes:
        say(f"note: {text}")
    if html is not None:
        model = load(file, how)
        _draw_errors(file, model, report, html, inputs, properties, tolerance, seed)
    sys.exit(0 if report else 1)


def _draw_errors(
    file: Path,
    model: Model,
    report: Report,
    html: Path,
    inputs: Sequence[np.ndarray] | None,
    properties: str,
    tolerance: float | None,
    seed: int,
) -> None:
    """The errors of everything that the origin names, on the graph."""
    from conformance.bisecting.along import errors_along

    from ..looking.error_heat import heat_of_report

    with stage(f"asking {report.origin} for every value of {file.name}"):
        given = model, report.device, inputs, properties
        along = errors_along(file, *given, tolerance=tolerance, seed=seed)
    write_result(model, file, html, heat_of_report(model, report, along))
