"""A framework of four functions."""

from __future__ import annotations

import numpy as np


def relu(x: np.ndarray) -> np.ndarray:
    """The larger of x and 0."""
    return np.maximum(x, 0)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Exponentials that sum up to 1 along an axis."""
    shifted = np.exp(x - x.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


def dense(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    """A product with a matrix, and a sum."""
    product = x @ weight
    return product if bias is None else product + bias


def sign(x: np.ndarray) -> np.ndarray:
    """-1, 0 or 1; this one forgets NaN, as some frameworks do."""
    return np.where(x > 0, 1, np.where(x < 0, -1, 0)).astype(x.dtype)
