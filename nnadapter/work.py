"""Commands that work: convert, run, verify."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import numpy as np

from nnir.errors import BadFile, BadInput, Unsupported, summary
from nnir.model import Model

from . import api
from .terminal import (
    DEVICE,
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
)


@click.command()
@FILE
@loading
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--optimize", is_flag=True, help="Fuse operations first.")
@click.option("--no-verify", is_flag=True, help="Do not compare with the origin framework.")
@JSON
def convert(
    file: Path, target: Path, optimize: bool, no_verify: bool, as_json: bool, how: dict[str, Any]
) -> None:
    """Write FILE as TARGET (.nnir, or the format of a device such as .onnx)."""
    if target.suffix != ".nnir":
        api.exporter(target.suffix)
    model = load(file, how)
    if optimize:
        say("passes: " + (", ".join(api.optimize(model)) or "nothing to do"))
    api.convert(model, target)
    result: dict[str, Any] = {"written": str(target), "bytes": target.stat().st_size}
    status = 0
    if no_verify:
        say("NOT VERIFIED: --no-verify")
    else:
        status = _verify_written(file, model, target, result)
    if as_json:
        print_json(result)
    else:
        click.echo(f"{target}: {len(model.operations)} operations, {result['bytes']} bytes")
    sys.exit(status)


def _verify_written(file: Path, model: Model, target: Path, result: dict[str, Any]) -> int:
    """Load what was written and compare it with the origin; `model` says how it was loaded."""
    from conformance.verify import verify as compare

    try:
        with busy("comparing with the origin framework"):
            written = api.load(target)
            written.metadata.update(model.metadata)
            report = compare(file, written, "builtin")
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
@click.option("--input", "given", multiple=True, metavar="NAME=FILE.npy", help="An input.")
@click.option("--dim", "dims", multiple=True, metavar="NAME=SIZE", help="A dynamic dimension.")
@click.option("--output", type=click.Path(path_type=Path), help="Save the outputs (.npz).")
@JSON
def run(
    file: Path,
    device: str,
    properties: str,
    seed: int,
    given: tuple[str, ...],
    dims: tuple[str, ...],
    output: Path | None,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Run FILE on a device, on given or random inputs."""
    from conformance.inputs import random_inputs

    model = load(file, how)
    arrays = random_inputs(model, seed, {k: _size(v) for k, v in map(_pair, dims)})
    places = {v.name: k for k, v in enumerate(model.inputs)}
    for name, path in map(_pair, given):
        if name not in places:
            raise BadInput(f"no input {name!r}; there are {', '.join(map(str, places))}")
        arrays[places[name]] = _array(Path(path))
    with busy(f"running on {device}"):
        program = api.compile(model, device, properties)
        results = dict(zip((n for n, _ in program.outputs), program(*arrays), strict=True))
    if output is not None:
        _save_arrays(output, results)
    rows = [_statistics(name, array) for name, array in results.items()]
    if as_json:
        print_json([dict(zip(STATISTICS, row, strict=True)) for row in rows])
    else:
        show(STATISTICS, rows)


STATISTICS = ("output", "precision", "shape", "min", "max", "mean")


def _statistics(name: str, array: np.ndarray) -> tuple[Any, ...]:
    head = (name, str(array.dtype), list(array.shape))
    if not array.size or array.dtype.kind == "c":
        return (*head, None, None, None)
    numbers = array.astype(np.float64)
    return (*head, float(numbers.min()), float(numbers.max()), float(numbers.mean()))


def _save_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    from nnir.atomic import replacing

    with replacing(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals:
        raise click.UsageError(f"{text!r} is not NAME=VALUE")
    return name, value


def _size(text: str) -> int:
    if not text.isdecimal():
        raise click.UsageError(f"{text!r} is not a size")
    return int(text)


def _array(path: Path) -> np.ndarray:
    try:
        loaded = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise BadFile(f"cannot read {str(path)!r} as .npy: {error}") from None
    if not isinstance(loaded, np.ndarray):
        raise BadFile(f"{str(path)!r} holds several arrays: give one .npy per input")
    return loaded


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
