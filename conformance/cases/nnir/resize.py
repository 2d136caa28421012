"""The standard's two resizes, whose coordinate rules ONNX spells otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import resize

from ...case import Const, Tolerance, f, i, rand
from .direct import DirectCase

CLOSE = Tolerance(relative=1e-5, absolute=2e-6)


def _sizes(input: np.ndarray, shape: np.ndarray | None, scales: np.ndarray | None) -> list[int]:
    """`shape` goes first, else floor(size * scale)."""
    if shape is not None:
        return [int(n) for n in shape]
    factors = [] if scales is None else scales.tolist()
    return [math.floor(n * s) for n, s in zip(input.shape[2:], factors, strict=True)]


def _places(input: np.ndarray, sizes: list[int]) -> Iterator[tuple[int, ...]]:
    return iter(np.ndindex(*input.shape[:2], *sizes))


def nearest(
    input: np.ndarray,
    shape: np.ndarray | None = None,
    scales: np.ndarray | None = None,
    *,
    align_corners: bool = False,
) -> np.ndarray:
    """src = floor(dst in / out), or floor(dst (in - 1) / (out - 1) + 1/2)."""
    sizes = _sizes(input, shape, scales)
    result = np.zeros((*input.shape[:2], *sizes), input.dtype)
    for n, c, *place in _places(input, sizes):
        source = []
        for at, size, out in zip(place, input.shape[2:], sizes, strict=True):
            if align_corners:
                source.append(math.floor(at * (size - 1) / max(out - 1, 1) + 0.5))
            else:
                source.append(at * size // out)
        result[(n, c, *place)] = input[(n, c, *source)]
    return result


def linear(
    input: np.ndarray,
    shape: np.ndarray | None = None,
    scales: np.ndarray | None = None,
    *,
    align_corners: bool = False,
    align_mode: int | None = 1,
) -> np.ndarray:
    """The four neighbours of every source position, weighted; the border continues outside."""
    sizes = _sizes(input, shape, scales)
    result = np.zeros((*input.shape[:2], *sizes), np.float64)
    for n, c, *place in _places(input, sizes):
        pairs = []
        for at, size, out in zip(place, input.shape[2:], sizes, strict=True):
            if align_corners:
                source = at * (size - 1) / (out - 1) if out > 1 else 0.0
            elif align_mode == 0:
                source = max((at + 0.5) * size / out - 0.5, 0.0)
            else:
                source = at * size / out
            low = min(math.floor(source), size - 1)
            part = source - low
            pairs.append([(low, 1 - part), (min(low + 1, size - 1), part)])
        result[(n, c, *place)] = sum(
            float(input[n, c, y, x]) * p * q for y, p in pairs[0] for x, q in pairs[1]
        )
    whole = input.dtype.kind in "iu"
    return (np.rint(result) if whole else result).astype(input.dtype)


def _rows(
    operator: Any, function: Callable[..., np.ndarray], tol: Tolerance, **attrs: Any
) -> list[DirectCase]:
    name = ", ".join(f"{k} {v}" for k, v in attrs.items()) or "plain"

    def row(shape: Any, scales: Any, why: str) -> DirectCase:
        return DirectCase(operator, (X, shape, scales), attrs, function, tol, f"{name}, {why}")

    return [
        row(Const(i(7, 11)), None, "up"),
        row(i(3, 4), None, "down, a run-time shape"),
        row(Const(i(4, 5)), None, "the same size"),
        row(Const(i(1, 1, dtype=np.int32)), None, "to one element"),
        row(None, Const(f(2, 3)), "scales"),
        row(None, f(0.5, 1.3), "run-time scales"),
        row(None, Const(f(0.2, 2)), "scales to nothing"),
        row(Const(i(5, 9)), Const(f(2, 2)), "the shape goes first"),
    ]


X = rand(2, 3, 4, 5)
CORNERS: dict[str, Any] = {"align_corners": True}
TO = Const(i(7, 3))
CASES = [
    *_rows(resize.resize_nearest, nearest, Tolerance()),
    *_rows(resize.resize_nearest, nearest, Tolerance(), **CORNERS),
    *_rows(resize.resize_linear, linear, CLOSE),
    *_rows(resize.resize_linear, linear, CLOSE, align_mode=0),
    *_rows(resize.resize_linear, linear, CLOSE, **CORNERS),
    *_rows(resize.resize_linear, linear, CLOSE, **CORNERS, align_mode=0),
    DirectCase(resize.resize_linear, (X, TO), {"align_mode": None}, linear, CLOSE, "no align_mode"),
    DirectCase(resize.resize_nearest, (X.astype(np.float16), TO), {}, nearest),
    DirectCase(resize.resize_nearest, (X.astype(ml_dtypes.bfloat16), TO), CORNERS, nearest),
    DirectCase(resize.resize_nearest, (X.astype(np.float64), TO), {}, nearest),
    DirectCase(resize.resize_nearest, (X > 0, TO), CORNERS, nearest),
    DirectCase(
        resize.resize_nearest, (rand(2, 3, 4, 5, dtype=np.int8, low=-99, high=99), TO), {}, nearest
    ),
    DirectCase(resize.resize_nearest, (X[:0], TO), {}, nearest, why="no images"),
    DirectCase(resize.resize_nearest, (X, Const(i(0, 3))), {}, nearest, why="to no rows"),
    DirectCase(resize.resize_nearest, (X, None, None), why="no size", raises=BadType),
    DirectCase(resize.resize_nearest, (X[0], TO), why="rank 3", raises=BadType),
    DirectCase(resize.resize_nearest, (X, Const(i(2))), why="one size", raises=BadType),
    DirectCase(resize.resize_linear, (X.astype(np.float16), TO), {}, linear, Tolerance(1e-3, 1e-3)),
    DirectCase(
        resize.resize_linear,
        (X.astype(ml_dtypes.bfloat16), TO),
        {"align_mode": 0},
        linear,
        Tolerance(8e-3, 8e-3),
    ),
    DirectCase(
        resize.resize_linear, (X.astype(np.float64), TO), {}, linear, Tolerance(1e-14, 1e-14)
    ),
    DirectCase(
        resize.resize_linear,
        (rand(2, 3, 4, 5, dtype=np.uint8, low=0, high=255), TO),
        CORNERS,
        linear,
        Tolerance(absolute=1),
        "rounds, halves by a hair",
    ),
    DirectCase(resize.resize_linear, (X[:0], TO), {}, linear, why="no images"),
    DirectCase(resize.resize_linear, (X, Const(i(0, 3))), {}, linear, why="to no rows"),
    DirectCase(
        resize.resize_linear, (X, TO), {"align_mode": 2}, why="align_mode 2", raises=BadType
    ),
]
