"""Commands that convert and verify."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from hal.device import Device
from nnir.errors import Unsupported, summary
from nnir.model import Model

from . import api
from .terminal import (
    DEVICE,
    DIM,
    FILE,
    JSON,
    PROPERTIES,
    SEED,
    busy,
    load,
    loading,
    print_json,
    say,
    show,
    sizes_of,
)


@click.command()
@FILE
@loading
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--optimize", is_flag=True, help="Fuse operations first.")
@click.option("--target-opset", type=int, help="The operator set of an .onnx file (13 to 25).")
@DIM
@click.option("--no-verify", is_flag=True, help="Do not compare with the origin framework.")
@JSON
def convert(
    file: Path,
    target: Path,
    optimize: bool,
    target_opset: int | None,
    dims: tuple[str, ...],
    no_verify: bool,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Write FILE as TARGET: .nnir, .onnx, .xml (OpenVINO IR), .tflite or .pt2."""
    writer = None if target.suffix == ".nnir" else api.exporter(target.suffix)
    model = load(file, how)
    if dims:
        model = api.fixed(model, sizes_of(dims))
    if optimize:
        say("passes: " + (", ".join(api.optimize(model)) or "nothing to do"))
    api.write(model, target, writer, target_opset)
    result: dict[str, Any] = {"written": str(target), "bytes": target.stat().st_size}
    status = 0
    if no_verify:
        say("NOT VERIFIED: --no-verify")
    else:
        status = _verify_written(file, model, target, writer, result)
    if as_json:
        print_json(result)
    else:
        click.echo(f"{target}: {len(model.operations)} operations, {result['bytes']} bytes")
    sys.exit(status)


def _verify_written(
    file: Path, model: Model, target: Path, writer: Device | None, result: dict[str, Any]
) -> int:
    """Run what was written and compare it with the origin; `model` says how it was loaded."""
    try:
        with busy("comparing with the origin framework"):
            report = api.verify_written(file, model, target, writer)
    except Unsupported as error:
        result["verified"] = None
        say(f"NOT VERIFIED: {summary(error)}")
        return 0
    result["verified"] = report.as_dict()
    worst = max((r.max_relative for r in report.rows), default=0.0)
    verdict = "agrees with" if report else "DIFFERS FROM"
    say(f"verified: {target.name} {verdict} {report.origin}, largest relative error {worst:.1e}")
    return 0 if report else 1


@click.command()
@FILE
@loading
@DEVICE
@PROPERTIES
@SEED
@click.option("--tolerance", type=float, help="Largest error relative to an output's magnitude.")
@JSON
def verify(
    file: Path,
    device: str,
    properties: str,
    seed: int,
    tolerance: float | None,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Compare FILE on a device with its origin framework."""
    with busy(f"running {file.name} on {device} and in its origin framework"):
        report = api.verify(
            file, device, None, properties, tolerance=tolerance, seed=seed, loading=how
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
    sys.exit(0 if report else 1)
