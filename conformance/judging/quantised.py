"""Outputs of quantised models: how far rounding takes them, and kernels from each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.model import Model, Operation, Value
from nnir.ops import quant, shape

from .tolerance import largest

QUANTA = 1
"""Steps that a quantised output may be away: kernels round their last product differently."""

NOISE = 1 / 16
"""Of the largest magnitude of an output: where kernels differ by more, they prove nothing."""

MOVES = frozenset({shape.reshape, shape.reshape_exact, shape.transpose, shape.squeeze})
QUANTIZING = frozenset({quant.quantize_linear, quant.quantize})


def rounding_allowance(value: Value) -> float:
    """How far an output may be away by its last rounding alone; 0 where it is not quantised.

    Steps of what is stored as integers, or the size of a step where they became real numbers.
    """
    made = maker_of(value)
    if made is not None and made.operator is quant.dequantize_linear:
        scale = made.inputs[1].constant if made.inputs[1] is not None else None
        inner = None if made.inputs[0] is None else maker_of(made.inputs[0])
        if scale is not None and inner is not None and inner.operator in QUANTIZING:
            return QUANTA * largest(scale)
    if made is not None and made.operator is quant.dequantize and made.inputs[0] is not None:
        how, inner = made.inputs[0].type.quantization, maker_of(made.inputs[0])
        if how is not None and inner is not None and rounds(inner):
            return QUANTA * max(how.scales)
    return QUANTA if made is not None and rounds(made) else 0


def rounds(operation: Operation) -> bool:
    """Whether the results of an operation are integers that stand for real numbers."""
    return operation.operator in QUANTIZING or operation.is_on_integers


def maker_of(value: Value) -> Operation | None:
    """The operation that makes the elements of a value, not only moves them."""
    made = value.producer
    while made is not None and made.operator in MOVES and made.inputs[0] is not None:
        made = made.inputs[0].producer
    return made


def is_quantized(model: Model) -> bool:
    """Whether a model rounds to integers that stand for real numbers."""
    return any(rounds(o) or any(map(is_quantized, o.models)) for o in model.operations)


def are_as_near(
    got: np.ndarray, first: np.ndarray, others: Sequence[np.ndarray]
) -> tuple[float, float] | None:
    """The distances of `got` and of the farthest of `others` from `first`, where the first one is
    not the larger and both are small; else None. They are root mean squares.

    Roundings on the way of a deep network add up to such distances; an error stands out of them.
    """
    if any(a.shape != first.shape or a.dtype != first.dtype for a in (got, *others)):
        return None
    mine, theirs = distance(got, first), max((distance(o, first) for o in others), default=0.0)
    return (mine, theirs) if mine <= theirs <= NOISE * largest(first) else None


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """The root mean square of the difference; infinite for what is not finite."""
    if not a.size:
        return 0.0
    with np.errstate(all="ignore"):
        away = a.astype(np.float64) - b.astype(np.float64)
        found = float(np.sqrt(np.mean(away * away)))
    return found if np.isfinite(found) else float("inf")
