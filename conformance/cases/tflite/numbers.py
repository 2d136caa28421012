"""Tensors of TFLite cases: known sizes, integers with a scale, and how near these must be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import Const, Tolerance, i, rand
from ...engines.tflite import Scaled

QUANTUM = Tolerance(absolute=1)
"""An operator in integers rounds once more."""

SHORT = np.int16
SCALES: dict[Any, tuple[float, int]] = {
    np.int8: (0.02, -5),
    np.uint8: (0.02, 130),
    np.int16: (0.0001, 0),
}
"""A scale and a zero point for each type; those of int16 are 0."""


def sizes(*numbers: int) -> Const:
    """Sizes that are known."""
    return Const(i(*numbers, dtype=np.int32))


def number(value: int) -> Const:
    """A known int32 scalar."""
    return Const(np.array(value, np.int32))


def real(value: float) -> Const:
    """A known float32 scalar."""
    return Const(np.array(value, np.float32))


def integers(*shape: int, seed: int = 0, dtype: Any = np.int8) -> np.ndarray:
    """Quantised numbers."""
    limits = np.iinfo(dtype)
    return rand(*shape, seed=seed, dtype=dtype, low=limits.min + 1, high=limits.max)


def q(
    *shape: int,
    seed: int = 0,
    dtype: Any = np.int8,
    scale: float | None = None,
    zero: int | None = None,
    constant: bool = False,
) -> Scaled:
    """Integers of a shape with a scale."""
    usual = SCALES[dtype]
    return Scaled(
        integers(*shape, seed=seed, dtype=dtype),
        usual[0] if scale is None else scale,
        usual[1] if zero is None else zero,
        constant=constant,
    )


def stored(scale: float, zero: int = 0, dtype: Any = np.int8) -> tuple[Scaled]:
    """The type of one quantised result."""
    return (Scaled(np.empty(0, dtype), scale, zero),)


def same(dtype: Any = np.int8) -> tuple[Scaled]:
    """A result with the scale of the operand."""
    return stored(*SCALES[dtype], dtype)


def name(dtype: Any) -> str:
    """A type in the name of a case."""
    return np.dtype(dtype).name
