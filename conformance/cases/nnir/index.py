"""Operators on positions that ONNX has no operator for."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import index

from ...case import Const, f, i, rand, scalar
from .direct import DirectCase, DirectLimit


def roll(input: np.ndarray, shifts: np.ndarray, axes: np.ndarray | None = None) -> np.ndarray:
    """The element at i goes to (i + shift) mod size, on each axis or in the flattened tensor."""
    if axes is None:
        flat = input.reshape(-1)
        moved = flat.copy()
        for k in range(flat.size):
            moved[(k + int(shifts.flat[0])) % flat.size] = flat[k]
        return moved.reshape(input.shape)
    result = input.copy()
    for at in np.ndindex(*input.shape):
        to = list(at)
        for shift, axis in zip(shifts.tolist(), axes.tolist(), strict=True):
            to[axis] = (to[axis] + shift) % input.shape[axis]
        result[tuple(to)] = input[at]
    return result


def channel_shuffle(input: np.ndarray, *, group: int) -> np.ndarray:
    """out[k * group + g] = in[g * (C / group) + k]."""
    result = input.copy()
    size = input.shape[1] // group
    for g in range(group):
        for k in range(size):
            result[:, k * group + g] = input[:, g * size + k]
    return result


def _rolled(input: np.ndarray, shifts: Any, axes: Any = None, why: str = "") -> DirectCase:
    return DirectCase(index.roll, (input, shifts, axes), {}, roll, why=why)


def _shuffled(input: np.ndarray, group: int, why: str = "") -> DirectCase:
    return DirectCase(index.channel_shuffle, (input,), {"group": group}, channel_shuffle, why=why)


X = rand(2, 3, 5)
CASES = [
    _rolled(X, Const(i(2)), Const(i(1))),
    _rolled(X, i(2), Const(i(1)), why="a shift at run time"),
    _rolled(X, i(2), i(1), why="an axis at run time"),
    _rolled(X, Const(i(-7, 4)), Const(i(-1, 0)), why="two axes, a negative one"),
    _rolled(X, Const(i(1, 2)), Const(i(2, 2)), why="an axis twice"),
    _rolled(X, Const(i(7)), why="flattened"),
    _rolled(X, i(-31), why="flattened, backwards and around"),
    _rolled(X, Const(scalar(7, np.int64)), why="a shift of rank 0"),
    _rolled(X, Const(i(1, dtype=np.int32)), Const(i(1, dtype=np.int32)), why="int32 shifts"),
    _rolled(X, Const(i()), Const(i()), why="no axes"),
    _rolled(f(np.nan, 1, 2), Const(i(1)), Const(i(0)), why="nan is moved"),
    _rolled(X.astype(np.float16), Const(i(1)), Const(i(2))),
    _rolled(X.astype(ml_dtypes.bfloat16), Const(i(1)), Const(i(2))),
    _rolled(i(1, 2, 3), Const(i(1)), Const(i(0))),
    _rolled(np.array([True, False, False]), Const(i(1)), Const(i(0))),
    _rolled(np.zeros((2, 0), np.float32), Const(i(3)), Const(i(1)), why="an empty axis"),
    _rolled(np.zeros((2, 0), np.float32), Const(i(3)), why="no elements"),
    _rolled(scalar(3), Const(i(3)), why="rank 0"),
    DirectCase(index.roll, (X, i(1, 2), Const(i(1))), why="two shifts", raises=BadType),
    DirectCase(index.roll, (X, i(1), Const(i(3))), why="axis 3", raises=BadType),
    DirectCase(index.roll, (X, f(1), Const(i(0))), why="half a step", raises=BadType),
    _shuffled(rand(2, 6, 3, 5), 2),
    _shuffled(rand(2, 6, 3, 5), 3, why="three groups"),
    _shuffled(rand(2, 6), 6, why="as many groups as channels"),
    _shuffled(rand(2, 6, 2), 1, why="one group"),
    _shuffled(rand(2, 4, 3, dtype=np.float16), 2),
    _shuffled(rand(2, 4, 3).astype(ml_dtypes.bfloat16), 2),
    _shuffled(rand(2, 4, 3, dtype=np.int8, low=-9, high=9), 2),
    _shuffled(np.full((1, 4), np.nan, np.float32), 2, why="nan is moved"),
    _shuffled(np.zeros((0, 4, 3), np.float32), 2, why="no elements"),
    _shuffled(np.zeros((2, 0, 3), np.float32), 2, why="no channels"),
    DirectCase(index.channel_shuffle, (X,), {"group": 2}, why="3 by 2", raises=BadType),
    DirectCase(index.channel_shuffle, (X,), {"group": 0}, why="no groups", raises=BadType),
    DirectCase(index.channel_shuffle, (f(1, 2),), {"group": 1}, why="rank 1", raises=BadType),
    DirectCase(
        index.gather_nd,
        (rand(2, 3, 4), np.zeros((2, 2, 3), np.int64)),
        {"batch_dims": 1},
        why="more positions than axes behind the batch",
        raises=BadType,
    ),
]
LIMITS = [
    DirectLimit(index.roll, "Gather takes its axis as an attribute", case="an axis at run time")
]
