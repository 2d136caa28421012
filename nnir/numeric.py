"""Arithmetic that the NumPy references share."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .errors import BadType
from .types import FLOATS, Fuse, Precision, find_precision

HALVES = FLOATS - {Precision.FLOAT32, Precision.FLOAT64}
"""Floats of 16 bits and fewer."""


def is_half(dtype: np.dtype | None) -> bool:
    """Whether a NumPy type is a floating point type of 16 bits or fewer."""
    return dtype is not None and find_precision(dtype) in HALVES


def wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compute 16-bit and narrower floats in float32 and round once, as the frameworks do.

    Other operands pass unchanged; a result is rounded to the type of the first operand.
    """

    @functools.wraps(function)
    def call(*arrays: Any, **attributes: Any) -> Any:
        dtype = arrays[0].dtype
        if not is_half(dtype):
            return function(*arrays, **attributes)
        widened = [
            a.astype(np.float32) if is_half(getattr(a, "dtype", None)) else a for a in arrays
        ]
        return function(*widened, **attributes).astype(dtype)

    return call


def apply_fuse_code(result: np.ndarray, fuse_code: Fuse) -> np.ndarray:
    """Apply the activation of a fuse code, in the type of `result`; RELU1 clamps to [0, 1]."""
    match fuse_code:
        case Fuse.NONE:
            return result
        case Fuse.RELU:
            return np.maximum(result, result.dtype.type(0))
        case Fuse.RELU1:
            return np.clip(result, 0, 1).astype(result.dtype, copy=False)
        case Fuse.RELU6:
            return np.clip(result, 0, 6).astype(result.dtype, copy=False)
    raise BadType(f"fuse code {fuse_code!r}")


@contextmanager
def at_positions() -> Iterator[None]:
    """Around what reads or writes at positions that are data: ValueError for those outside.

    It decorates references too. Any other IndexError of a reference is a bug of it.
    """
    try:
        yield
    except IndexError as error:
        raise ValueError(f"positions outside: {error}") from error


def is_real(dtype: np.dtype) -> bool:
    """Whether a NumPy type (of ml_dtypes too) is a floating point type."""
    found = find_precision(dtype)
    return found is not None and found.is_float


PLAIN = 1 << 20
"""What numerators and denominators are below."""


def fraction_of(number: float) -> tuple[int, int] | None:
    """The fraction that a number is exactly, none of whose parts is large, so that products with
    sizes are exact in integers and in float64; None where it is none."""
    if not math.isfinite(number):
        return None
    top, bottom = number.as_integer_ratio()
    return (top, bottom) if abs(top) < PLAIN and bottom < PLAIN else None
