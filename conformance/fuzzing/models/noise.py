"""What rounding does to a model: its results with rounding put on, operation by operation.

Kernels round differently, and a model passes that on. The samples of a value are what it is for the
arrays themselves (the first one), with the rounding errors of each operation (`ROUNDED`), and with
quantised values a step beside where they are in addition (`STEPPED`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnir.evaluate import run_operation
from nnir.model import Model, Operation, Value
from nnir.operator import Pattern
from nnir.ops import pool, quant

from ...judging.compare import is_float
from ...judging.tolerance import largest

ROUNDED, STEPPED = (1, 2), (3, 4)
COUNT = 1 + len(ROUNDED) + len(STEPPED)
ROUNDING = 1e-6
"""How far a float kernel may be from another one, relative to its result."""

STEP_RATE = 0.25
"""Of the quantised elements so many go a step up, and as many down."""

TOLERANCE = 1e-3
"""Of the largest magnitude of a result: how far devices may be from each other."""

STEPS = 3
"""How often the largest distance between the samples results may be apart: these are samples."""

Samples = list[np.ndarray]


@dataclass(frozen=True)
class Allowance:
    """How far a result may be from another device's: `absolute`, and the part of it that comes from
    quantised values that are a step beside."""

    absolute: float
    of_steps: float = 0.0


def samples_of(array: np.ndarray) -> Samples:
    """The samples of what is exact."""
    return [array] * COUNT


def run_samples(
    operation: Operation, operands: Sequence[Samples | None], generator: np.random.Generator
) -> list[Samples]:
    """The samples of each result of an operation."""
    columns = []
    for k in range(COUNT):
        arrays = [None if s is None else s[k] for s in operands]
        results = run_operation(operation, arrays)
        columns.append([_disturb(operation, r, k, generator) for r in results])
    return [list(row) for row in zip(*columns, strict=True)]


def _disturb(
    operation: Operation, result: np.ndarray, sample: int, generator: np.random.Generator
) -> np.ndarray:
    """A result with the error that its operation adds in a sample."""
    if not sample or not result.size:
        return result
    if operation.operator is quant.quantize_linear:
        return _step(result, generator) if sample in STEPPED else result
    if not is_float(result.dtype) or operation.operator.pattern is Pattern.MOVEMENT:
        return result
    error = ROUNDING * generator.uniform(-1, 1, result.shape)
    sums = operation.operator.pattern is Pattern.COMBINING
    scale = largest(result) if sums else np.abs(result)
    return (result + error * scale).astype(result.dtype)


def _step(result: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Quantised numbers of which some, and one at least, are a step beside."""
    chance = generator.random(result.shape)
    steps = (chance < STEP_RATE).astype(np.int64) - (chance > 1 - STEP_RATE)
    about = np.iinfo(result.dtype)
    if not steps.any():
        steps.flat[0] = -1 if result.flat[0] == about.max else 1
    return np.clip(result.astype(np.int64) + steps, about.min, about.max).astype(result.dtype)


def spread(samples: Samples, which: Sequence[int]) -> float:
    """The largest distance of some samples from the first one."""
    first = samples[0].astype(np.float64)
    found = [np.abs(samples[k].astype(np.float64) - first).max(initial=0.0) for k in which]
    return float(max(found))


def is_exact(samples: Samples, which: Sequence[int]) -> bool:
    """Whether some samples are the first one to the bit."""
    return all(np.array_equal(samples[0], samples[k]) for k in which)


def is_stepped(value: Value) -> bool:
    """Whether a value holds quantised numbers, as QUANTIZE_LINEAR gives them, moved or not."""
    made = value.producer
    while made is not None and made.operator is not quant.quantize_linear:
        moves = made.operator.pattern is Pattern.MOVEMENT or made.operator is pool.max_pool_2d
        source = made.inputs[0] if made.inputs and moves else None
        if source is None or source.precision != value.precision:
            return False
        made = source.producer
    return made is not None


def allow(value: Value, samples: Samples) -> Allowance:
    """How far a result with these samples may be from another device's."""
    steps = STEPS * spread(samples, STEPPED)
    if is_stepped(value):
        return Allowance(max(1.0, steps), max(1.0, steps))
    if not is_float(samples[0].dtype):
        return Allowance(0.0)
    rounding = TOLERANCE * largest(samples[0])
    return Allowance(rounding + steps, steps)


def all_samples(model: Model, arrays: Sequence[np.ndarray], seed: int = 0) -> dict[Value, Samples]:
    """The samples of every value of a model that is no constant."""
    generator = np.random.default_rng(seed)
    found = {v: samples_of(a) for v, a in zip(model.inputs, arrays, strict=True)}
    for operation in model.sorted():
        operands = [_read(found, v) for v in operation.inputs]
        made = run_samples(operation, operands, generator)
        found.update(zip(operation.outputs, made, strict=True))
    return found


def _read(found: dict[Value, Samples], value: Value | None) -> Samples | None:
    if value is None:
        return None
    return found[value] if value.constant is None else samples_of(value.constant)
