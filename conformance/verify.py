"""A model on a device against its origin framework."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.model import Model

from .case import Tolerance
from .compare import compare
from .inputs import random_inputs
from .origins import run_origin

TOLERANCES = {"float64": 1e-6, "float32": 1e-4, "float16": 1e-2, "bfloat16": 4e-2}
"""Largest error relative to the largest magnitude of an output; integers and bools are exact."""


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
    """Run both and compare; Unsupported when there is no origin framework to ask."""
    arrays = random_inputs(model, seed) if inputs is None else [np.asarray(a) for a in inputs]
    started = time.perf_counter()
    got = Program(model, device, properties)(*arrays)
    origin, want = run_origin(source, model, arrays)
    rows = []
    for (name, _), mine, theirs in zip(model.named_outputs(), got, want, strict=True):
        rows.append(_row(name, mine, theirs, tolerance))
    return Report(origin, device, rows, time.perf_counter() - started)


def _row(name: str, got: np.ndarray, want: np.ndarray, tolerance: float | None) -> Row:
    limit = TOLERANCES.get(want.dtype.name, 0.0) if tolerance is None else tolerance
    finite = want[np.isfinite(want)] if want.dtype.kind in "fV" and want.size else want
    scale = float(np.abs(finite.astype(np.float64)).max()) if finite.size else 0.0
    found = compare(got, want, Tolerance(absolute=limit * scale if limit else 0.0))
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
