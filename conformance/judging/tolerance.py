"""How far the result of one operation may be, and which operations have results to compare."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.model import Operation, Value
from nnir.operator import Pattern
from nnir.ops import activation

from ..case import Tolerance
from .compare import is_float

SINGLE = {"float64": 1e-9, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}
"""Largest error of one operation relative to the largest magnitude of its output."""


def is_element_wise(operation: Operation) -> bool:
    """Whether each element of the result comes from one place, without sums.

    What is wrong beside a large element is then not that element's rounding.
    """
    adds = operation.attributes.get("reduction", "none") != "none"
    return operation.operator.pattern is not Pattern.COMBINING and not adds


def is_random(operation: Operation) -> bool:
    """Whether an operation, or one in its branches, draws numbers; DROPOUT may pass everything."""
    if any(is_random(o) for m in operation.models for o in m.operations):
        return True
    if operation.operator is activation.dropout and operation.inputs[2] is not None:
        training = operation.inputs[2].constant
        return training is None or bool(training.any())
    return operation.operator.is_random


def depending(operations: Sequence[Operation]) -> set[Value]:
    """The values that depend on random numbers."""
    found: set[Value] = set()
    for operation in operations:
        if is_random(operation) or not found.isdisjoint(operation.inputs):
            found.update(operation.outputs)
    return found


def relative_to(
    limit: float, want: np.ndarray, quanta: float = 0, most: float = np.inf
) -> Tolerance:
    """A tolerance of so much of the largest magnitude, or of `most`, and then of each element.

    `quanta`: how far rounding to integers takes a result at least.
    """
    if not limit or not want.size or not (is_float(want.dtype) or want.dtype.kind == "c"):
        return Tolerance(absolute=quanta)
    scale = limit * min(most, largest(want))
    return Tolerance(limit if np.isfinite(most) else 0, max(scale, quanta))


def largest(array: np.ndarray) -> float:
    """The largest finite magnitude."""
    wide = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    return float(wide[np.isfinite(wide)].max(initial=0.0))
