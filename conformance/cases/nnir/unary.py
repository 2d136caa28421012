"""Elementwise operators that ONNX has no operator for."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import unary

from ...case import Tolerance, f, i, rand, scalar
from .direct import DirectCase

nan, inf = np.nan, np.inf
TWICE = Tolerance(relative=2.5e-7)
"""A square root and a quotient, each rounded to float32."""
HALF = Tolerance(relative=1e-3)
BRAIN = Tolerance(relative=8e-3)


def rsqrt(input: np.ndarray) -> np.ndarray:
    """In float64, element by element."""
    result = np.zeros(input.shape, np.float64)
    for place, x in np.ndenumerate(input.astype(np.float64)):
        if x == 0:
            result[place] = math.copysign(inf, x)
        else:
            result[place] = 1 / math.sqrt(x) if x > 0 else nan
    return result.astype(input.dtype)


def _case(input: np.ndarray, **given: Any) -> DirectCase:
    return DirectCase(unary.rsqrt, (input,), {}, rsqrt, **given)


def frexp(input: np.ndarray) -> list[np.ndarray]:
    """In float64, element by element."""
    parts = [math.frexp(x) for x in input.astype(np.float64)]
    mantissas, exponents = zip(*parts, strict=True)
    return [np.array(mantissas).astype(input.dtype), np.array(exponents, np.int32)]


CASES = [
    *(
        DirectCase(unary.frexp, (f(0.1, -3, 1 / 3, 100, dtype=t),), {}, frexp, why="each type")
        for t in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
    ),
    _case(rand(2, 3, 5, low=1e-3, high=9), tol=TWICE),
    _case(f(0, inf, nan, -1, -inf), why="0 gives inf, below 0 gives nan"),
    _case(f(-0.0), why="-0 gives -inf"),
    _case(f(1e-38, 1e38, 4), tol=TWICE, why="extreme sizes"),
    _case(f(2, 3, 1e-4, 6e4, dtype=np.float16), tol=HALF),
    _case(f(2, 3, 1e-4, 6e4, dtype=ml_dtypes.bfloat16), tol=BRAIN),
    _case(f(2, 3, 1e-300, dtype=np.float64), tol=Tolerance(relative=5e-16)),
    _case(scalar(0.25), why="rank 0"),
    _case(np.zeros((3, 0), np.float32), why="no elements"),
    DirectCase(unary.rsqrt, (i(4),), why="an integer", raises=BadType),
]
