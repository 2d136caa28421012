"""A model on a device against its origin framework."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hal.device import Device
from hal.properties import Properties
from hal.runtime.program import Program
from nnir.model import Model, Value
from nnir.ops import quant, shape
from nnir.passes import ends
from nnir.passes.orders import Perm, inverse

from .case import Tolerance
from .compare import compare
from .inputs import random_inputs
from .leeway import largest
from .origins import run_origin

TOLERANCES = {"float64": 1e-6, "float32": 1e-4, "float16": 1e-2, "bfloat16": 4e-2}
"""Largest error relative to the largest magnitude of an output; integers and bools are exact."""

QUANTA = 1
"""Steps that a quantised output may be away: kernels round their last product differently."""

MOVES = frozenset({shape.reshape, shape.reshape_exact, shape.transpose, shape.squeeze})


@dataclass(frozen=True)
class Row:
    """One output: how far it is from the origin's, and where the worst element lies."""

    output: str
    type: str
    agrees: bool
    max_absolute: float
    max_relative: float
    max_ulp: float
    index: list[int] | None
    problem: str | None


@dataclass(frozen=True)
class Report:
    """The result of a verification; true when every output agrees."""

    origin: str
    device: str
    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def agrees(self) -> bool:
        return all(row.agrees for row in self.rows)

    def __bool__(self) -> bool:
        return self.agrees

    def worst(self) -> str:
        """What is wrong with the first output that does not agree."""
        return next((f"{r.output}: {r.problem}" for r in self.rows if not r.agrees), "nothing")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "agrees": self.agrees}


def verify(
    source: Any,
    model: Model,
    device: str,
    inputs: Sequence[np.ndarray] | None = None,
    properties: str = "",
    *,
    tolerance: float | None = None,
    seed: int = 0,
) -> Report:
    """Run both and compare; Unsupported when there is no origin framework to ask.

    What was loaded with another order of axes is handed to the origin in the origin's own.
    """
    arrays = random_inputs(model, seed) if inputs is None else [np.asarray(a) for a in inputs]
    started = time.perf_counter()
    got = Program(model, device, properties)(*arrays)
    return against_origin(source, model, device, arrays, got, started, tolerance)


def verify_file(source: Any, model: Model, written: Path, device: Device, seed: int = 0) -> Report:
    """Compare what a device makes of a file that it wrote of `model` with the origin."""
    arrays = random_inputs(model, seed)
    started = time.perf_counter()
    context = device.create_context(Properties({}), None)
    types = [[v.type for v in values] for values in (model.inputs, model.outputs)]
    program = device.import_program(context, written, *types)
    got = device.execute_program(program, arrays)
    device.destroy_program(program)
    device.destroy_context(context)
    return against_origin(source, model, device.name, arrays, got, started)


def against_origin(
    source: Any,
    model: Model,
    device: str,
    arrays: Sequence[np.ndarray],
    got: Sequence[np.ndarray],
    started: float,
    tolerance: float | None = None,
) -> Report:
    """Compare outputs with the origin's; what a model means is in the NumPy references."""
    if isinstance(source, Model):
        origin, found = "builtin", Program(source, "builtin")(*arrays)
    else:
        origin, found = run_origin(source, model, handed(model, arrays))
    perms = ends.orders(model, ends.OUTPUTS)
    rows = []
    for (name, value), mine, want in zip(model.named_outputs(), got, found, strict=True):
        quanta = QUANTA if tolerance is None and is_quantized(value) else 0
        rows.append(_row(name, mine, _turned(want, perms.get(name)), tolerance, quanta))
    return Report(origin, device, rows, time.perf_counter() - started)


def handed(model: Model, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The inputs in the order of axes that the origin has."""
    names = [v.name or "" for v in model.inputs]
    own = {n: inverse(p) for n, p in ends.orders(model, ends.INPUTS).items()}
    return [_turned(a, own.get(n)) for n, a in zip(names, arrays, strict=True)]


def _turned(array: np.ndarray, perm: Perm | None) -> np.ndarray:
    return array if perm is None else array.transpose(perm)


def is_quantized(value: Value) -> bool:
    """Whether an output stands for real numbers that were rounded to integers."""
    made = value.producer
    while made is not None and made.operator in MOVES and made.inputs[0] is not None:
        made = made.inputs[0].producer
    return made is not None and made.operator in (quant.quantize_linear, quant.quantize)


def _row(name: str, got: np.ndarray, want: np.ndarray, tolerance: float | None, quanta: int) -> Row:
    limit = TOLERANCES.get(want.dtype.name, 0.0) if tolerance is None else tolerance
    scale = largest(want)
    found = compare(got, want, Tolerance(absolute=limit * scale if limit else quanta))
    return Row(
        output=name,
        type=f"{want.dtype}{list(want.shape)}",
        agrees=found.problem is None,
        max_absolute=found.max_absolute,
        max_relative=found.max_absolute / scale if scale else 0.0,
        max_ulp=found.max_ulp,
        index=None if found.index is None else list(found.index),
        problem=found.problem,
    )
