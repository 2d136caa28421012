"""Linear algebra that ONNX has no operator for, and the standard's own attributes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType, DeviceError
from nnir.ops import linear
from nnir.types import Fuse

from ...case import ROUNDS, Tolerance, f, i, rand
from .binary import bounded
from .direct import DirectCase, DirectLimit


def inverse(input: np.ndarray) -> np.ndarray:
    """Elimination with the largest pivot of each column, in float64."""
    result = np.zeros(input.shape, np.float64)
    size = input.shape[-1]
    for batch in np.ndindex(*input.shape[:-2]):
        rows = np.hstack([input[batch].astype(np.float64), np.eye(size)])
        for k in range(size):
            best = k + int(np.argmax(np.abs(rows[k:, k])))
            rows[[k, best]] = rows[[best, k]]
            rows[k] /= rows[k, k]
            for other in range(size):
                if other != k:
                    rows[other] -= rows[other, k] * rows[k]
        result[batch] = rows[:, size:]
    return result.astype(input.dtype)


def fully_connected(
    input: np.ndarray, weight: np.ndarray, bias: np.ndarray, *, fuse_code: Fuse = Fuse.NONE
) -> np.ndarray:
    """Row by row, all axes but the last being rows."""
    rows = [input[at] for at in np.ndindex(*input.shape[:-1])]
    result = [
        [float((r * w).sum()) + float(b) for w, b in zip(weight, bias, strict=True)] for r in rows
    ]
    return bounded(np.array(result).reshape(len(rows), len(weight)), fuse_code).astype(input.dtype)


def mat_mul(
    x: np.ndarray, y: np.ndarray, *, transpose_x: bool = False, transpose_y: bool = False
) -> np.ndarray:
    """Sums of products, one element at a time."""
    size = x.shape[-2 if transpose_x else -1]
    rows = x.shape[-1 if transpose_x else -2]
    columns = y.shape[-2 if transpose_y else -1]
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    left = np.broadcast_to(x, (*lead, *x.shape[-2:]))
    right = np.broadcast_to(y, (*lead, *y.shape[-2:]))
    result = np.zeros((*lead, rows, columns), np.float64)
    for *batch, r, c in np.ndindex(*result.shape):
        a, b = left[tuple(batch)], right[tuple(batch)]
        for k in range(size):
            one = a[k, r] if transpose_x else a[r, k]
            other = b[c, k] if transpose_y else b[k, c]
            result[(*batch, r, c)] += float(one) * float(other)
    return result.astype(x.dtype)


def _matrices(*shape: int) -> np.ndarray:
    """Far from singular."""
    return rand(*shape) + 5 * np.eye(shape[-1], dtype=np.float32)


def _inverse(input: np.ndarray, **given: Any) -> DirectCase:
    return DirectCase(linear.inverse, (input,), {}, inverse, **given)


def _product(x: np.ndarray, y: np.ndarray, *flags: bool, why: str) -> DirectCase:
    attrs = dict(zip(("transpose_x", "transpose_y"), flags, strict=True))
    return DirectCase(linear.mat_mul, (x, y), attrs, mat_mul, tol=ROUNDS, why=why)


CASES = [
    _inverse(_matrices(3, 3), tol=ROUNDS),
    _inverse(_matrices(2, 3, 4, 4), tol=ROUNDS, why="batches"),
    _inverse(f(0, 2, 4, 0).reshape(2, 2), why="a zero on the diagonal"),
    _inverse(f(-8).reshape(1, 1), why="1 x 1"),
    _inverse(_matrices(3, 3).astype(np.float64), tol=Tolerance(1e-14, 1e-15)),
    _inverse(_matrices(3, 3).astype(np.float16), tol=Tolerance(2e-3, 1e-4)),
    _inverse(_matrices(3, 3).astype(ml_dtypes.bfloat16), tol=Tolerance(2e-2, 1e-3)),
    _inverse(np.zeros((0, 3, 3), np.float32), why="no matrices"),
    _inverse(np.zeros((2, 0, 0), np.float32), why="matrices of nothing"),
    DirectCase(linear.inverse, (f(1, 2, 2, 4).reshape(2, 2),), why="singular", raises=DeviceError),
    DirectCase(linear.inverse, (rand(2, 3),), why="not square", raises=BadType),
    DirectCase(linear.inverse, (f(1),), why="a vector", raises=BadType),
    DirectCase(linear.inverse, (i(1).reshape(1, 1),), why="an integer", raises=BadType),
    *(
        DirectCase(
            linear.fully_connected,
            (rand(2, 3, 5), rand(4, 5), rand(4, high=9)),
            {"fuse_code": code},
            fully_connected,
            ROUNDS,
            why=f"rank 3, {code.name}",
        )
        for code in Fuse
    ),
    DirectCase(
        linear.fully_connected,
        (np.zeros((2, 0), np.float32), np.zeros((3, 0), np.float32), rand(3)),
        {},
        fully_connected,
        why="sums of nothing",
    ),
    _product(rand(2, 5, 3), rand(2, 5, 4), True, False, why="transpose_x"),
    _product(rand(2, 3, 5), rand(4, 5), False, True, why="transpose_y, a broadcast"),
    _product(rand(5, 3), rand(2, 4, 5), True, True, why="both, a broadcast"),
    _product(rand(0, 3), rand(2, 0), True, True, why="sums of nothing"),
]
LIMITS = [
    *(
        DirectLimit(
            linear.inverse,
            "written out by pivots, a division by 0 gives what is not finite",
            case="singular",
            device=device,
            raises=AssertionError,
        )
        for device in ("onnxruntime", "openvino", "litert", "nnrt")
    ),
]
