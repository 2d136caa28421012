"""The command that runs a model: on given or random inputs, on one device or several."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from hal.runtime.program import Program
from nnir.errors import BadInput
from nnir.model import Model
from nnir.progress import follow, stage
from nnir.stateful import user_inputs

from .. import api
from ..arrays import read_array
from ..drawing import HTML, write_result
from ..names import FASTEST
from ..outputs import keeping_sources
from ..terminal import (
    DEVICE,
    DIM,
    FILE,
    JSON,
    PROPERTIES,
    SEED,
    load,
    loading,
    print_json,
    say,
    show,
    sizes_of,
    split_pair,
)

STATISTICS = ("output", "precision", "shape", "min", "max", "mean")
STEPS = ("device", "operator", "steps", "ms", "share")
INPUT = click.option("--input", "given", multiple=True, metavar="NAME=FILE.npy", help="An input.")


@click.command()
@FILE
@loading
@DEVICE
@PROPERTIES
@SEED
@INPUT
@DIM
@click.option("--output", type=click.Path(path_type=Path), help="Save the outputs (.npz).")
@click.option(
    "--cache-dir", type=click.Path(path_type=Path), help="Keep compiled programs in this folder."
)
@click.option(
    "--partition",
    type=click.Path(path_type=Path),
    help="Operations that run on the host: lines op_type[:inputs[:outputs]].",
)
@click.option("--profile", is_flag=True, help="Say where the time goes.")
@HTML
@click.option(
    "--trace", type=click.Path(path_type=Path), help="Write that as a Chrome trace (JSON)."
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Run so often; the last run counts.",
)
@JSON
def run(
    file: Path,
    device: str,
    properties: str,
    seed: int,
    given: tuple[str, ...],
    dims: tuple[str, ...],
    output: Path | None,
    cache_dir: Path | None,
    partition: Path | None,
    profile: bool,
    html: Path | None,
    trace: Path | None,
    repeat: int,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """Run FILE on a device, on given or random inputs.

    Several devices, with commas between, share the model: each operation runs on the first of them
    that can. `fastest` is the device that `benchmark` finds; --cache-dir keeps that choice.
    """
    inputs = inputs_of(given)
    sources = [file, *(path for _, path in inputs), *([] if partition is None else [partition])]
    with keeping_sources(sources, {"--output": output, "--trace": trace, "--html": html}):
        model = load(file, how)
    _require_archive(output)
    arrays = arrays_of(model, inputs, sizes_of(dims), seed)
    wants_times = profile or trace is not None or html is not None
    with stage(f"running on {device}"):
        with stage("compiling"):
            options: dict[str, Any] = {"cache_dir": cache_dir, "partition": partition}
            options["inputs"] = arrays if device == FASTEST else None
            program = api.compile(model, device, properties, profile=wants_times, **options)
        for _ in follow(range(repeat), "runs"):
            outputs = program.call_tensors(*arrays)
    results = dict(zip((n for n, _ in program.outputs), outputs, strict=True))
    _tell(program, device)
    if output is not None:
        _save_arrays(output, results)
    if trace is not None:
        program.profile.write(trace)
    if html is not None:
        _draw_times(model, file, program, html)
    rows = [_statistics(name, array) for name, array in results.items()]
    steps = _steps(program) if profile else []
    if as_json:
        data: Any = [dict(zip(STATISTICS, row, strict=True)) for row in rows]
        if profile:
            times = [dict(zip(STEPS, row, strict=True)) for row in steps]
            data = {"outputs": data, "profile": times}
        print_json(data)
        return
    show(STATISTICS, rows)
    if profile:
        show(STEPS, steps, f"{program.profile.seconds * 1e3:.2f} ms in the last run")


def _require_archive(output: Path | None) -> None:
    """UsageError for a file that is to hold arrays and is called otherwise."""
    if output is not None and output.suffix not in ("", ".npz"):
        raise click.UsageError(f"--output writes .npz files, not {output.name!r}")


def inputs_of(given: Sequence[str]) -> list[tuple[str, Path]]:
    """Names and files of inputs."""
    return [(name, Path(path)) for name, path in map(split_pair, given)]


def arrays_of(
    model: Model, given: Sequence[tuple[str, Path]], sizes: Mapping[str, int], seed: int = 0
) -> list[np.ndarray]:
    """The inputs of a model: what is given by name, random numbers for the others, of the sizes
    that are given or that the arrays have."""
    from conformance.verifying.inputs import random_inputs

    places = {v.name: k for k, v in enumerate(user_inputs(model))}
    read = {}
    for name, path in given:
        if name not in places:
            raise BadInput(f"no input {name!r}; there are {', '.join(map(str, places))}")
        read[places[name]] = read_array(path)
    arrays = random_inputs(model, seed, _sizes_of(model, read) | dict(sizes))
    for place, array in read.items():
        arrays[place] = array
    return arrays


def _sizes_of(model: Model, arrays: Mapping[int, np.ndarray]) -> dict[str, int]:
    """The open sizes that some inputs have; the first of those that contradict each other."""
    from nnir.guesses import open_sizes

    names, inputs = open_sizes(model), user_inputs(model)
    sizes: dict[str, int] = {}
    for place, array in arrays.items():
        for dim, size in zip(inputs[place].shape, array.shape, strict=False):
            if str(dim) in names:
                sizes.setdefault(str(dim), size)
    return sizes


def arrays_for_proof(
    file: Path, how: dict[str, Any], given: Sequence[str], seed: int
) -> list[np.ndarray] | None:
    """The inputs of the model in a file where some are given, random numbers for the others."""
    return arrays_of(load(file, how), inputs_of(given), {}, seed) if given else None


def _draw_times(model: Model, file: Path, program: Program, html: Path) -> None:
    """The last run on the graph."""
    from ..looking.time_heat import heat_of_profile

    write_result(model, file, html, heat_of_profile(model, program.profile, program.devices))


def _tell(program: Program, device: str) -> None:
    """Where the parts of a split model run, and which device was found."""
    if device == FASTEST:
        say(f"the fastest device: {','.join(dict.fromkeys(program.devices))}")
    if len(program.devices) > 1:
        say(f"{len(program.devices)} parts: {', '.join(program.devices)}")
    if program.is_restored:
        say("restored from the cache")


def _steps(program: Program) -> list[tuple[str, str, int, float, str]]:
    """The time of each operator, the longest first."""
    whole = program.profile.seconds or 1.0
    return [
        (device, operator, count, round(seconds * 1e3, 3), f"{seconds / whole:.0%}")
        for device, operator, count, seconds in program.profile.by_operator()
    ]


def _statistics(name: str, array: np.ndarray) -> tuple[Any, ...]:
    head = (name, str(array.dtype), list(array.shape))
    if not array.size or array.dtype.kind == "c":
        return (*head, None, None, None)
    numbers = array.astype(np.float64)
    return (*head, float(numbers.min()), float(numbers.max()), float(numbers.mean()))


def _save_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """An `.npz` file; unlike `np.savez` of any names, and the same bytes for the same arrays."""
    from nnir.staging import replacing

    with replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
