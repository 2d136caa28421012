"""Normalisations with what ONNX leaves no choice of."""

from __future__ import annotations

import math

import numpy as np

from nnir.ops import norm

from ...case import ROUNDS, Tolerance, rand
from .direct import DirectCase


def lp_normalization(
    input: np.ndarray, *, axis: int = 1, p: int = 2, epsilon: float = 1e-5
) -> np.ndarray:
    """x / (norm + epsilon), row by row."""
    rows = np.moveaxis(input, axis, -1).astype(np.float64)
    result = np.zeros_like(rows)
    for at in np.ndindex(*rows.shape[:-1]):
        size = sum(abs(x) if p == 1 else x * x for x in rows[at].tolist())
        result[at] = rows[at] / ((size if p == 1 else math.sqrt(size)) + epsilon)
    return np.moveaxis(result, -1, axis).astype(input.dtype)


def group_normalization(
    input: np.ndarray,
    scale: np.ndarray,
    bias: np.ndarray,
    *,
    epsilon: float = 1e-5,
    groups: int,
) -> np.ndarray:
    """Mean and variance of every group of channels of every sample."""
    size = input.shape[1] // groups
    result = np.zeros(input.shape, np.float64)
    for n, g in np.ndindex(len(input), groups):
        part = input[n, g * size : (g + 1) * size].astype(np.float64)
        mean = part.sum() / part.size
        spread = math.sqrt(((part - mean) ** 2).sum() / part.size + epsilon)
        for k in range(size):
            c = g * size + k
            result[n, c] = (part[k] - mean) / spread * float(scale[c]) + float(bias[c])
    return result.astype(input.dtype)


X = rand(2, 6, 5)
AFFINE = rand(6, seed=1), rand(6, seed=2)
CLOSE = Tolerance(relative=2e-5, absolute=2e-6)
CASES = [
    *(
        DirectCase(
            norm.lp_normalization,
            (X,),
            {"axis": axis, "p": p, "epsilon": epsilon},
            lp_normalization,
            ROUNDS,
            f"p {p}, axis {axis}, epsilon {epsilon}",
        )
        for p in (1, 2)
        for axis, epsilon in ((1, 1e-5), (-1, 0.5))
    ),
    DirectCase(norm.lp_normalization, (0 * X,), {}, lp_normalization, why="zeros stay"),
    DirectCase(
        norm.lp_normalization,
        (X.astype(np.float16),),
        {"p": 1, "epsilon": 0.25},
        lp_normalization,
        Tolerance(1e-3, 1e-4),
    ),
    *(
        DirectCase(
            norm.group_normalization,
            (X, *AFFINE),
            {"groups": groups, "epsilon": epsilon},
            group_normalization,
            CLOSE,
            f"{groups} groups, epsilon {epsilon}",
        )
        for groups in (1, 3, 6)
        for epsilon in (1e-5, 0.5)
    ),
]
