"""The operator: its type rule, what it means, and how it is written in others."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.model import Value
from nnir.operator import operator, require
from nnir.ops import shape
from nnir.types import TensorType


def _rotary(input: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    first, second = np.split(input, 2, axis=-1)
    turned = (first * cos - second * sin, second * cos + first * sin)
    return np.concatenate(turned, axis=-1).astype(input.dtype)


@operator(code=10_400, reference=_rotary)
def acme_rotary(input: Value, cos: Value, sin: Value) -> TensorType:
    """Turn pairs of features, one of each half, by the angle of their position.

    Types: any float, one for all three.
    Shapes: [N, heads, length, features] with two tables [length, features / 2].
    """
    require(input.is_float and input.rank == 4, f"acme_rotary needs 4 axes, not {input.type}")
    half = (input.shape[2], input.shape[3] // 2)
    require(cos.shape == half == sin.shape, f"acme_rotary of {input.type} with {cos.type}")
    return input.type


@acme_rotary.decomposes()
def _taken_apart(input: Value, cos: Value, sin: Value) -> Value:
    first, second = shape.split(input, [cos.shape[1]] * 2, axis=3)
    return shape.concat(first * cos - second * sin, second * cos + first * sin, axis=3)


def angles(length: int, features: int) -> tuple[Any, Any]:
    """The tables of cosines and sines of a length."""
    frequencies = 10000.0 ** (-np.arange(0, features, 2) / features)
    turns = np.arange(length)[:, None] * frequencies
    return np.cos(turns).astype(np.float32), np.sin(turns).astype(np.float32)
