"""Activations that ONNX has no operator for."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import activation

from ...case import ROUNDS, f, i, rand, scalar
from .direct import DirectCase

nan, inf = np.nan, np.inf


def relu6(input: np.ndarray) -> np.ndarray:
    """Element by element; a comparison with NaN is false, so NaN stays."""
    result = input.copy()
    for place, x in np.ndenumerate(input):
        if x < 0:
            result[place] = 0
        elif x > 6:
            result[place] = 6
    return result


def hard_swish(input: np.ndarray, *, alpha: float, beta: float) -> np.ndarray:
    """x * max(0, min(1, alpha * x + beta))."""
    result = [x * max(0.0, min(1.0, alpha * x + beta)) for x in input.reshape(-1).tolist()]
    return np.array(result, input.dtype).reshape(input.shape)


def softplus(input: np.ndarray, *, beta: float = 1.0, threshold: float = 20.0) -> np.ndarray:
    """x where beta * x is above the threshold, else ln(1 + e^(beta * x)) / beta."""
    result = [
        x if beta * x > threshold else math.log1p(math.exp(beta * x)) / beta
        for x in input.reshape(-1).tolist()
    ]
    return np.array(result, input.dtype).reshape(input.shape)


WIDE = rand(3, 5, low=-9, high=9)
CASES = [
    DirectCase(activation.relu6, (rand(2, 3, 5, low=-9, high=9),), {}, relu6),
    DirectCase(activation.relu6, (f(-inf, -0.5, 0, 6, 6.5, inf),), {}, relu6, why="both bounds"),
    DirectCase(activation.relu6, (f(nan, 1),), {}, relu6, why="nan stays nan"),
    DirectCase(activation.relu6, (f(-1, 3.3, 7, dtype=np.float16),), {}, relu6),
    DirectCase(activation.relu6, (f(-1, 3.3, 7, dtype=ml_dtypes.bfloat16),), {}, relu6),
    DirectCase(activation.relu6, (f(-1, 3.3, 7, dtype=np.float64),), {}, relu6),
    DirectCase(activation.relu6, (i(-128, -1, 5, 127, dtype=np.int8),), {}, relu6),
    DirectCase(activation.relu6, (i(0, 5, 200, dtype=np.uint8),), {}, relu6),
    DirectCase(activation.relu6, (i(-(2**62), 5, 2**62),), {}, relu6),
    DirectCase(activation.relu6, (scalar(8),), {}, relu6, why="rank 0"),
    DirectCase(activation.relu6, (np.zeros((2, 0), np.float32),), {}, relu6, why="no elements"),
    DirectCase(activation.relu6, (np.zeros(2, bool),), why="a bool", raises=BadType),
    *(
        DirectCase(activation.hard_swish, (WIDE,), {"alpha": a, "beta": b}, hard_swish, ROUNDS, why)
        for a, b, why in (
            (1 / 6, 0.5, "usual"),
            (0.25, 0.4, "another slope"),
            (-1.0, 0.0, "falling"),
        )
    ),
    *(
        DirectCase(activation.softplus, (WIDE,), {"beta": b, "threshold": t}, softplus, ROUNDS, why)
        for b, t, why in ((2.0, 20.0, "beta"), (1.0, 1.5, "threshold"), (-0.5, 2.0, "falling"))
    ),
    DirectCase(
        activation.softplus,
        (f(-1, 0.25, 0.5, 0.75, 2),),
        {"beta": 2.0, "threshold": 1.0},
        softplus,
        ROUNDS,
        why="at the threshold",
    ),
]
