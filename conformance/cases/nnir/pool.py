"""Pools of the standard with what ONNX has not: adaptive bins and fuse codes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import pool
from nnir.types import AutoPad, Fuse, Precision

from ...case import ROUNDS, Tolerance, rand
from .binary import bounded
from .direct import DirectCase, DirectLimit

DTYPES = {Precision.INT32: np.int32, Precision.INT64: np.int64}


def _bins(size: int, count: int) -> list[range]:
    """Rows floor(i H / H') to ceil((i + 1) H / H') - 1."""
    return [
        range(math.floor(k * size / count), math.ceil((k + 1) * size / count)) for k in range(count)
    ]


def _places(input: np.ndarray, output_shape: tuple[int, ...]) -> Iterator[Any]:
    """Every place of the result with the places (row, column) of its bin."""
    rows, columns = (_bins(n, k) for n, k in zip(input.shape[2:], output_shape, strict=True))
    for n, c, i, j in np.ndindex(*input.shape[:2], *output_shape):
        yield (n, c, i, j), [(n, c, y, x) for y in rows[i] for x in columns[j]]


def average(input: np.ndarray, *, output_shape: tuple[int, ...]) -> np.ndarray:
    """The mean of every bin, in float64."""
    result = np.zeros((*input.shape[:2], *output_shape), np.float64)
    for at, places in _places(input, output_shape):
        result[at] = sum(float(input[p]) for p in places) / len(places)
    return result.astype(input.dtype)


def largest(
    input: np.ndarray,
    *,
    output_shape: tuple[int, ...],
    return_indices: bool = False,
    return_indices_dtype: int = Precision.INT32,
) -> list[np.ndarray]:
    """The first largest element of every bin, or the first NaN, and its place in the plane."""
    result = np.zeros((*input.shape[:2], *output_shape), input.dtype)
    where = np.zeros(result.shape, DTYPES[Precision(return_indices_dtype)])
    for at, places in _places(input, output_shape):
        best = places[0]
        for p in places[1:]:
            if input[best] == input[best] and not input[p] <= input[best]:
                best = p
        result[at] = input[best]
        where[at] = best[2] * input.shape[3] + best[3]
    return [result, where] if return_indices else [result]


def _average(input: np.ndarray, *output_shape: int, **given: Any) -> DirectCase:
    attrs = {"output_shape": output_shape}
    return DirectCase(pool.adaptive_average_pool_2d, (input,), attrs, average, **given)


def _largest(input: np.ndarray, *output_shape: int, why: str, **attrs: Any) -> DirectCase:
    attrs["output_shape"] = output_shape
    return DirectCase(pool.adaptive_max_pool_2d, (input,), attrs, largest, why=why)


def _with(array: np.ndarray, value: float) -> np.ndarray:
    copy = array.copy()
    copy[0, 0, 2, 3] = value
    return copy


X = rand(2, 3, 5, 7)
EVEN = rand(2, 3, 6, 4)
EQUAL = np.ones((1, 2, 5, 7), np.float32)
WHERE: dict[str, Any] = {"return_indices": True}
LONG: dict[str, Any] = {"return_indices": True, "return_indices_dtype": Precision.INT64}
CASES = [
    _average(X, 2, 3, tol=ROUNDS, why="bins that overlap"),
    _average(EVEN, 3, 2, tol=ROUNDS, why="bins of one size"),
    _average(X, 1, 1, tol=ROUNDS, why="everything"),
    _average(X, 5, 7, why="bins of one element"),
    _average(X, 8, 9, tol=ROUNDS, why="more bins than elements"),
    _average(_with(X, np.nan), 2, 3, tol=ROUNDS, why="nan stays in its bins"),
    _average(_with(X, np.inf), 2, 3, tol=ROUNDS, why="inf stays in its bins"),
    _average(_with(EVEN, -np.inf), 3, 2, tol=ROUNDS, why="inf in bins of one size"),
    _average(X.astype(np.float16), 2, 3, tol=Tolerance(1e-3, 1e-4)),
    _average(X.astype(ml_dtypes.bfloat16), 2, 3, tol=Tolerance(8e-3, 1e-3)),
    _average(X.astype(np.float64), 2, 3, tol=Tolerance(1e-15, 1e-15)),
    _average(EVEN.astype(np.float64), 3, 2, tol=Tolerance(1e-15, 1e-15), why="bins of one size"),
    _average(X[:0], 2, 3, why="no images"),
    DirectCase(
        pool.adaptive_average_pool_2d,
        (X[0],),
        {"output_shape": (2, 2)},
        why="rank 3",
        raises=BadType,
    ),
    DirectCase(
        pool.adaptive_average_pool_2d, (X,), {"output_shape": (2,)}, why="one size", raises=BadType
    ),
    DirectCase(
        pool.adaptive_average_pool_2d,
        (X.astype(np.int32),),
        {"output_shape": (2, 2)},
        why="integers",
        raises=BadType,
    ),
    _largest(X, 2, 3, why="bins that overlap"),
    _largest(EVEN, 3, 2, why="bins of one size"),
    _largest(X, 8, 9, why="more bins than elements"),
    _largest(_with(X, np.nan), 2, 3, why="nan wins"),
    _largest(_with(EVEN, np.nan), 3, 2, why="nan wins in bins of one size"),
    _largest(-np.abs(X) - 1, 2, 3, why="all below 0"),
    _largest(np.full((1, 1, 2, 2), -np.inf, np.float32), 1, 1, why="-inf only"),
    _largest(X.astype(np.float16), 2, 3, why="halves"),
    _largest(X.astype(ml_dtypes.bfloat16), 2, 3, why="bfloat16"),
    _largest(X.astype(np.float64), 2, 3, why="doubles"),
    _largest(rand(2, 3, 5, 7, dtype=np.int8, low=-99, high=99), 2, 3, why="int8"),
    _largest(rand(2, 3, 5, 7, dtype=np.uint8, low=0, high=255), 2, 3, why="uint8"),
    _largest(rand(2, 3, 5, 7, dtype=np.int64, low=-99, high=99), 2, 3, why="int64"),
    _largest(X[:0], 2, 3, why="no images"),
    _largest(X, 2, 3, why="places, bins that overlap", **WHERE),
    _largest(EVEN, 3, 2, why="places, bins of one size", **WHERE),
    _largest(EVEN, 3, 2, why="int64 places, bins of one size", **LONG),
    _largest(EVEN, 1, 1, why="places of everything", **LONG),
    _largest(EQUAL[:, :, :4, :6], 2, 3, why="places of equals: the first", **WHERE),
    _largest(EQUAL, 2, 3, why="places of equals, overlapping: the first", **WHERE),
    _largest(_with(EVEN, np.nan), 3, 2, why="places of nan", **WHERE),
    _largest(_with(X, np.nan), 2, 3, why="places of nan, overlapping", **WHERE),
    _largest(rand(2, 3, 6, 4, dtype=np.int8, low=-99, high=99), 3, 2, why="int8 places", **WHERE),
    _largest(X[:0], 2, 3, why="places, no images", **WHERE),
    DirectCase(
        pool.adaptive_max_pool_2d,
        (X,),
        {"output_shape": (2, 3), "return_indices": True, "return_indices_dtype": 3},
        why="places in int16",
        raises=BadType,
    ),
]
LIMITS = [
    DirectLimit(
        pool.adaptive_max_pool_2d,
        "positions come from MaxPool, whose windows have one size",
        case="overlapping",
    ),
    DirectLimit(
        pool.adaptive_max_pool_2d,
        "positions come from MaxPool, whose windows have one size",
        case="places, bins that overlap",
    ),
    DirectLimit(
        pool.adaptive_max_pool_2d,
        "ONNX Runtime passes over NaN",
        case="nan",
        raises=AssertionError,
    ),
]


def windows(
    input: np.ndarray,
    *,
    kernel_shape: tuple[int, int],
    strides: tuple[int, int],
    pads: tuple[int, ...] = (0, 0, 0, 0),
    auto_pad: AutoPad = AutoPad.NONE,
    ceil_mode: bool = False,
) -> Iterator[tuple[tuple[int, ...], list[Any], int]]:
    """Every place of the result with the places of its window, and how many are inside."""
    starts, counts = [], []
    for k in range(2):
        size, kernel, stride = input.shape[2 + k], kernel_shape[k], strides[k]
        before, after = pads[2 * k : 2 * k + 2] if auto_pad == AutoPad.NONE else (0, 0)
        count = (size + before + after - kernel) / stride + 1
        number = math.ceil(count) if ceil_mode else math.floor(count)
        if auto_pad == AutoPad.SAME:
            number = math.ceil(size / stride)
            before = max((number - 1) * stride + kernel - size, 0) // 2
        starts.append([n * stride - before for n in range(number)])
        counts.append(number)
    for n, c, i, j in np.ndindex(*input.shape[:2], *counts):
        rows = [starts[0][i] + y for y in range(kernel_shape[0])]
        columns = [starts[1][j] + x for x in range(kernel_shape[1])]
        inside = [
            (n, c, y, x)
            for y in rows
            for x in columns
            if 0 <= y < input.shape[2] and 0 <= x < input.shape[3]
        ]
        yield (n, c, i, j), inside, len(rows) * len(columns)


def _collected(input: np.ndarray, values: dict[Any, Any], fuse_code: Fuse) -> np.ndarray:
    result = np.zeros([k + 1 for k in max(values)], np.float64)
    for at, value in values.items():
        result[at] = value
    return bounded(result, fuse_code).astype(input.dtype)


def average_pool_2d(
    input: np.ndarray, *, count_include_pad: bool = False, fuse_code: Fuse, **window: Any
) -> np.ndarray:
    """Window by window, in float64."""
    values = {}
    for at, inside, whole in windows(input, **window):
        count = whole if count_include_pad else len(inside)
        values[at] = sum(float(input[p]) for p in inside) / max(count, 1)
    return _collected(input, values, fuse_code)


def max_pool_2d(input: np.ndarray, *, fuse_code: Fuse, **window: Any) -> np.ndarray:
    """Window by window."""
    values = {at: max(float(input[p]) for p in p_) for at, p_, _ in windows(input, **window)}
    return _collected(input, values, fuse_code)


WINDOW = {"kernel_shape": (3, 2), "strides": (2, 1)}
WINDOWS: dict[str, dict[str, Any]] = {
    "plain": WINDOW,
    "pads": WINDOW | {"pads": (1, 0, 0, 1)},
    "ceil": {"kernel_shape": (2, 3), "strides": (2, 2), "ceil_mode": True},
    "same": WINDOW | {"auto_pad": AutoPad.SAME},
    "valid": WINDOW | {"auto_pad": AutoPad.VALID, "pads": (1, 1, 1, 1)},
    "valid, ceil": {
        "kernel_shape": (2, 3),
        "strides": (2, 2),
        "ceil_mode": True,
        "auto_pad": AutoPad.VALID,
        "pads": (1, 1, 1, 1),
    },
}
WIDE = rand(2, 3, 5, 7, low=-9, high=9)
CASES += [
    DirectCase(
        operator, (WIDE,), given | {"fuse_code": code}, function, tol, f"{name}, {code.name}"
    )
    for operator, function, tol in (
        (pool.average_pool_2d, average_pool_2d, ROUNDS),
        (pool.max_pool_2d, max_pool_2d, Tolerance()),
    )
    for name, given in WINDOWS.items()
    for code in Fuse
]
CASES += [
    DirectCase(
        pool.average_pool_2d,
        (WIDE,),
        given | {"count_include_pad": True, "fuse_code": Fuse.RELU6},
        average_pool_2d,
        ROUNDS,
        f"{name}, padding counts",
    )
    for name, given in WINDOWS.items()
]
CASES.append(
    DirectCase(
        pool.average_pool_2d,
        (WIDE,),
        {"kernel_shape": (2, 1), "strides": (1, 1), "pads": (3, 2, 1, 1), "fuse_code": Fuse.NONE},
        average_pool_2d,
        ROUNDS,
        "windows of padding alone",
    )
)
