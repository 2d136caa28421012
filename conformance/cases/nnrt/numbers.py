"""Tensors of NNRt cases: known sizes, integers with a scale, and how near these must be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import Const, Tolerance, i, rand
from ...engines.nnrt import Scaled

QUANTUM = Tolerance(absolute=1)
"""The real result is rounded once, and may lie near a half."""

SCALES: dict[Any, tuple[float, int]] = {np.int8: (0.02, -5), np.uint8: (0.02, 130)}
"""A scale and a zero point for each type."""

BYTES = (np.int8, np.uint8)
FLOATS = (np.float16, np.float64)
"""Floats beside those of 32 bits."""

INTEGERS = (np.int8, np.uint8, np.int16, np.int32, np.int64)


def sizes(*numbers: int, dtype: Any = np.int32) -> Const:
    """Sizes or positions that are known."""
    return Const(i(*numbers, dtype=dtype))


def number(value: int, dtype: Any = np.int32) -> Const:
    """A known integer."""
    return Const(np.array(value, dtype))


def q(
    *shape: int,
    seed: int = 0,
    dtype: Any = np.int8,
    scale: float | tuple[float, ...] | None = None,
    zero: int | None = None,
    constant: bool = False,
) -> Scaled:
    """Integers of a shape with a scale."""
    usual, limits = SCALES[dtype], np.iinfo(dtype)
    array = rand(*shape, seed=seed, dtype=dtype, low=limits.min, high=limits.max)
    return Scaled(
        array, usual[0] if scale is None else scale, usual[1] if zero is None else zero, constant
    )


def stored(scale: float = 0.02, zero: int = 0, dtype: Any = np.int8) -> tuple[Scaled]:
    """How one result is quantised."""
    return (Scaled(np.empty(0, dtype), scale, zero),)


def alike(dtype: Any = np.int8) -> tuple[Scaled]:
    """A result with the scale of the operand."""
    return stored(*SCALES[dtype], dtype)


def name(dtype: Any) -> str:
    """A type in the name of a case."""
    return np.dtype(dtype).name
