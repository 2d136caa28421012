"""Values at which operators go wrong, and arrays that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ..judging.compare import FINFO

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = tuple(map(np.dtype, (np.float32, np.float16, BFLOAT16, np.float64)))
INTEGERS = tuple(
    map(np.dtype, (np.int32, np.int64, np.int16, np.int8, np.uint8, np.uint16, np.uint32))
)
OTHERS = tuple(map(np.dtype, (np.bool_, np.complex64, np.uint64, np.complex128)))
DTYPES = (*FLOATS, *INTEGERS, *OTHERS)

nan, inf = float("nan"), float("inf")
ORDINARY = (1.0, 0.0, -1.0, 2.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -3.7, 100.0, -100.0, 1e-3)
EDGES = (nan, inf, -inf, -0.0)
COUNTS = (1, 0, -1, 2, -2, 3, 7, -7, 8, 100)

BASES = ("ones", "own", "ramp", "own", "own", "down", "own", "own")
"""What an array is filled with first; the simplest is the first one."""


def kind_of(dtype: np.dtype) -> str:
    """float, int, bool, complex, or an empty string for what is not varied."""
    if dtype.kind == "c":
        return "complex"
    if dtype.kind == "b":
        return "bool"
    if dtype.kind in "iu":
        return "int"
    return "float" if dtype in FLOATS else ""


def special(dtype: np.dtype) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Ordinary values of a precision and those at its edges, the simplest first."""
    match kind_of(dtype):
        case "float":
            about: Any = FINFO(dtype)
            ends = (float(about.max), -float(about.max), float(about.tiny))
            small = (float(about.smallest_subnormal), 1 + float(about.eps))
            return ORDINARY, (*EDGES, *ends, *small, *EDGES)
        case "int":
            limits = np.iinfo(dtype)
            counts = tuple(v for v in COUNTS if limits.min <= v <= limits.max)
            return counts, (*counts[:5], limits.min, limits.max, limits.max - 1)
        case "complex":
            finite = (1.0, 0.0, -1.0, 1j, -1j, 1 + 2j, -2.5 + 0.5j)
            return finite, (complex(nan, 0), complex(0, inf), 0.0, -0.0)
    return (False, True), (False, True)


def resize(array: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """The array cut, or repeated, to a shape of the same rank."""
    for axis, size in enumerate(shape):
        old = array.shape[axis]
        if old == 0 < size:
            return np.zeros(shape, array.dtype)
        if size != old:
            array = np.take(array, np.arange(size) % max(old, 1), axis)
    return array


def fill(array: np.ndarray, base: str, pattern: Sequence[Any]) -> np.ndarray:
    """The array with other elements: those of the base, and over them the pattern.

    None in the pattern leaves what is there; the pattern is repeated.
    """
    dtype, count = array.dtype, array.size
    match base:
        case "ones":
            flat = np.ones(count, dtype)
        case "ramp":
            flat = (np.arange(count) % 100 + 1).astype(dtype)
        case "down":
            numbers = count // 2 - np.arange(count)
            flat = (numbers if kind_of(dtype) != "int" else abs(numbers)).astype(dtype)
        case _:
            flat = array.reshape(-1).copy()
    for place, value in enumerate(pattern):
        if value is not None:
            flat[place :: len(pattern)] = np.array(value).astype(dtype)
    return flat.reshape(array.shape)


def as_dtype(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The array in another precision; what does not fit is made to."""
    if array.dtype == dtype:
        return array
    numbers = array.real if array.dtype.kind == "c" and dtype.kind != "c" else array
    if kind_of(dtype) == "int":
        limits = np.iinfo(dtype)
        numbers = np.nan_to_num(numbers.astype(np.float64)).round()
        small, large = max(limits.min, -1e9), min(limits.max, 1e9)
        return np.clip(numbers, small, large).astype(dtype)
    if numbers.dtype == BFLOAT16 or dtype == BFLOAT16:
        numbers = numbers.astype(np.float32)
    return numbers.astype(dtype)


def is_position(dtype: np.dtype) -> bool:
    """Whether elements may be positions, sizes or counts."""
    return dtype.kind in "iu"
