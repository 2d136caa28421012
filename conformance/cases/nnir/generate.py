"""Operators that make tensors and that ONNX has no operator for."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import generate

from ...case import Const, f, i, rand, scalar
from .direct import DirectCase


def meshgrid(*input: np.ndarray) -> list[np.ndarray]:
    """Output k has at (i0, i1, ...) the element ik of vector k."""
    shape = tuple(len(v) for v in input)
    results = [np.zeros(shape, v.dtype) for v in input]
    for at in np.ndindex(*shape):
        for k, vector in enumerate(input):
            results[k][at] = vector[at[k]]
    return results


def fill_like(input: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Element by element."""
    result = np.zeros(input.shape, value.dtype)
    for at in np.ndindex(*input.shape):
        result[at] = value.flat[0]
    return result


def _grid(*input: object, why: str = "") -> DirectCase:
    return DirectCase(generate.meshgrid, input, {}, meshgrid, why=why)


def _fill(input: np.ndarray, value: object, why: str = "") -> DirectCase:
    return DirectCase(generate.fill_like, (input, value), {}, fill_like, why=why)


CASES = [
    _grid(f(1, 2, 3), f(4, 5)),
    _grid(f(1, np.nan), Const(f(np.inf, 5, -0.0)), i(7), why="three vectors, one constant"),
    _grid(f(1, 2), why="one vector"),
    _grid(f(1, 2, dtype=np.float16), f(3, 4, 5, dtype=np.float16)),
    _grid(f(1, 2, dtype=ml_dtypes.bfloat16), f(3, 4, 5, dtype=ml_dtypes.bfloat16)),
    _grid(i(1, 2), i(3, 4, 5, dtype=np.int32), why="two integer types"),
    _grid(np.array([True, False]), np.array([False, True, True])),
    _grid(f(1, 2), f(), f(3), why="an empty vector"),
    DirectCase(generate.meshgrid, (rand(2, 3), f(1)), why="a matrix", raises=BadType),
    _fill(rand(2, 3), f(7), why="a run-time number"),
    _fill(rand(2, 3), Const(scalar(np.nan)), why="nan of rank 0"),
    _fill(rand(2, 3), Const(i(2**40)), why="a number of another type"),
    _fill(rand(2, 3), Const(f(0.5, dtype=np.float16)), why="a half"),
    _fill(scalar(3), Const(f(1)), why="like rank 0"),
    _fill(np.zeros((2, 0), np.int8), Const(np.array([True])), why="no elements"),
]
