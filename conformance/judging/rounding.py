"""How far roundings alone take the results of a model, beyond what their size says."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nnir.errors import NNAdapterError
from nnir.model import Model, Value
from nnir.operator import Pattern
from nnir.ops import activation

from .compare import FINFO, is_float

Arrays = list[np.ndarray]

PROBABILITIES = frozenset({activation.sigmoid, activation.softmax, activation.hard_sigmoid})
"""Operators whose results lie between 0 and 1, which engines compute to so many digits of 1."""

UNITS = 4
"""In the last place of 1, how far a small probability may lie from the origin's."""

LARGEST = 1 << 29
"""Bytes of weights beyond which nothing is computed in float64."""


def probability_allowance(value: Value) -> float:
    """How far an output may be off where all that is in it are probabilities, which may be small;
    0 where there is something else."""
    made = value.producer
    while made is not None and made.operator not in PROBABILITIES:
        if made.operator.pattern is not Pattern.MOVEMENT or made.inputs[0] is None:
            return 0.0
        made = made.inputs[0].producer
    if made is None or not value.is_float:
        return 0.0
    return UNITS * float(FINFO(value.dtype).eps)


def rounding_scatter(model: Model, arrays: Arrays, plain: Arrays) -> list[float] | None:
    """How far `plain`, the outputs by references in their own precision, lie from those in float64;
    None where these are not to be had."""
    weights = {v for o in model.operations for v in o.inputs if v is not None}
    if sum(v.constant.nbytes for v in weights if v.constant is not None) > LARGEST:
        return None
    exact = in_float64(model, arrays)
    return (
        None if exact is None else [distance_of(a, b) for a, b in zip(plain, exact, strict=False)]
    )


def distance_of(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference of two arrays; infinite where one has NaN."""
    with np.errstate(all="ignore"):
        away = np.abs(a.astype(np.float64) - b)
    return float(np.nan_to_num(away, nan=np.inf).max(initial=0.0))


def in_float64(model: Model, arrays: Arrays) -> Arrays | None:
    """The outputs by references in float64; None where a reference computes in float32 alone."""
    memory = {v: _widen(a) for v, a in zip(model.inputs, arrays, strict=True)}
    for operation in model.sorted():
        operands = [None if v is None else _wide_value(memory, v) for v in operation.inputs]
        try:
            with np.errstate(all="ignore"):
                made = operation.operator.reference(*operands, **operation.attributes)
        except (TypeError, ValueError, NNAdapterError):
            return None
        results = made if isinstance(made, (tuple, list)) else (made,)
        memory.update(zip(operation.outputs, map(_widen, results), strict=True))
    found = [memory[v] for v in model.outputs]
    wide = all(f.dtype.kind != "f" or f.dtype == np.float64 for f in found)
    return found if wide else None


def _wide_value(memory: Mapping[Value, np.ndarray], value: Value) -> np.ndarray:
    return memory[value] if value.constant is None else _widen(value.constant)


def _widen(array: np.ndarray) -> np.ndarray:
    found = np.asarray(array)
    return found.astype(np.float64) if is_float(found.dtype) else found
