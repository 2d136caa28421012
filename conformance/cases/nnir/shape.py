"""Operators on shapes that ONNX has no operator for."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import shape
from nnir.types import PadMode, Precision

from ...case import Const, f, i, rand, scalar
from .direct import DirectCase


def unstack(input: np.ndarray, *, axis: int, num: int) -> list[np.ndarray]:
    """The element at (a, b) of slice k is that at (a, k, b)."""
    place = axis % input.ndim
    rest = input.shape[:place] + input.shape[place + 1 :]
    results = [np.zeros(rest, input.dtype) for _ in range(num)]
    for at in np.ndindex(*input.shape):
        results[at[place]][at[:place] + at[place + 1 :]] = input[at]
    return results


def stack(*input: np.ndarray, axis: int) -> np.ndarray:
    """The other way round."""
    place = axis % (input[0].ndim + 1)
    own = input[0].shape
    result = np.zeros((*own[:place], len(input), *own[place:]), input[0].dtype)
    for k, array in enumerate(input):
        for at in np.ndindex(*own):
            result[(*at[:place], k, *at[place:])] = array[at]
    return result


def sizes(input: np.ndarray, *, dtype: Precision) -> np.ndarray:
    """The sizes as a vector."""
    return np.array(input.shape, np.int32 if dtype == Precision.INT32 else np.int64)


def replicated(input: np.ndarray, pads: np.ndarray, *, mode: PadMode) -> np.ndarray:
    """The nearest element of the input."""
    pairs = pads.reshape(-1, 2).tolist()
    grown = [n + a + b for n, (a, b) in zip(input.shape, pairs, strict=True)]
    result = np.zeros(grown, input.dtype)
    for at in np.ndindex(*grown):
        source = zip(at, pairs, input.shape, strict=True)
        result[at] = input[tuple(min(max(k - a, 0), n - 1) for k, (a, _), n in source)]
    return result


def _cut(input: np.ndarray, axis: int, num: int, **given: Any) -> DirectCase:
    return DirectCase(shape.unstack, (input,), {"axis": axis, "num": num}, unstack, **given)


def _join(*input: np.ndarray, axis: int, why: str) -> DirectCase:
    return DirectCase(shape.stack, input, {"axis": axis}, stack, why=why)


CASES = [
    _cut(rand(3, 2, 5), 0, 3),
    _cut(rand(3, 2, 5), -1, 5, why="last axis"),
    _cut(rand(3, 2, 5), -2, 2, why="a negative axis in the middle"),
    _cut(rand(3, 1, 5), 1, 1, why="one slice"),
    _cut(f(1, np.nan, 3), 0, 3, why="a vector into rank 0"),
    _cut(rand(2, 3, dtype=np.float16), 1, 3, why="columns"),
    _cut(rand(2, 3).astype(ml_dtypes.bfloat16), 1, 3, why="columns"),
    _cut(i(-1, 2, 2**40), 0, 3),
    _cut(np.array([[True, False]]), 1, 2),
    _cut(np.zeros((2, 0, 3), np.float32), 0, 2, why="no elements"),
    _cut(np.zeros((2, 0, 3), np.float32), -1, 3, why="no elements, last axis"),
    DirectCase(shape.unstack, (rand(3, 2),), {"axis": 0, "num": 2}, why="3 by 2", raises=BadType),
    DirectCase(shape.unstack, (rand(3, 2),), {"axis": 2, "num": 2}, why="axis 2", raises=BadType),
    DirectCase(
        shape.unstack,
        (np.zeros((0, 2), np.float32),),
        {"axis": 0, "num": 0},
        why="no slices",
        raises=BadType,
    ),
    _join(rand(2, 3), rand(2, 3, seed=1), axis=1, why="in the middle"),
    _join(rand(2, 3), rand(2, 3, seed=1), axis=-1, why="last"),
    _join(rand(2, 3), rand(2, 3, seed=1), axis=-3, why="first, from the end"),
    _join(i(4, 5), i(6, 7), i(8, 9), axis=0, why="three vectors"),
    _join(np.zeros((0, 2), np.float16), np.ones((0, 2), np.float16), axis=0, why="no elements"),
    DirectCase(shape.stack, (rand(2), rand(3)), {"axis": 0}, why="2 and 3", raises=BadType),
    DirectCase(shape.shape, (rand(2, 0, 3),), {"dtype": Precision.INT32}, sizes, why="int32"),
    DirectCase(shape.shape, (scalar(1),), {"dtype": Precision.INT32}, sizes, why="rank 0, int32"),
    *(
        DirectCase(shape.pad, (rand(2, 3), pads), {"mode": mode}, replicated, why=why)
        for mode in (PadMode.REPLICATE, PadMode.EDGE)
        for pads, why in (
            (Const(i(1, 0, 2, 3)), f"{mode.name}"),
            (i(0, 4, 1, 1), f"{mode.name}, pads at run time"),
        )
    ),
]
