"""Resampling whose weights depend on sizes only: a matrix for the rows, one for the columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import linear
from nnir.recipes.layout import to_channels_first, to_channels_last
from nnir.types import Precision

TABLE = 1 << 10
"""TensorFlow rounds the offset of a bicubic sample to so many steps."""


def known_sizes(images: Value, size: Value, what: str) -> tuple[list[int], list[int]]:
    """Rows and columns before and after; NotConstant where one is open."""
    given = [d for d in images.shape[1:3] if not isinstance(d, Expr)]
    wanted = ints(size)
    if wanted is None or len(given) != 2:
        raise NotConstant(f"{what} of {images.type} to sizes {size.type}")
    return given, list(wanted)


def resample(images: Value, rows: np.ndarray, columns: np.ndarray) -> Value:
    """[out, in] matrices on both axes of an image with channels last, in float32."""
    x = to_channels_first(images.cast(Precision.FLOAT32))
    across = linear.mat_mul(x, images.model.constant(columns.T.astype(np.float32)))
    return to_channels_last(linear.mat_mul(images.model.constant(rows.astype(np.float32)), across))


def cubic_weights(size: int, out: int, scale: np.float32, *, half_pixel: bool) -> np.ndarray:
    """Keys' cubic with half pixels: a = -0.5, nothing outside; else a = -0.75, edges repeat."""
    if not size:
        raise BadType("an image without rows or columns is not resized")
    a = -0.5 if half_pixel else -0.75
    steps = np.arange(TABLE + 1) / TABLE
    near = ((a + 2) * steps - (a + 3)) * steps * steps + 1
    far = ((a * (steps + 1) - 5 * a) * (steps + 1) + 8 * a) * (steps + 1) - 4 * a
    result = np.zeros((out, size))
    for row in range(out):
        at = np.float32(row) * scale
        if half_pixel:
            at = (np.float32(row) + np.float32(0.5)) * scale - np.float32(0.5)
        first = int(np.floor(at))
        offset = int(np.rint((at - np.float32(first)) * TABLE))
        weights = [far[offset], near[offset], near[TABLE - offset], far[TABLE - offset]]
        places = np.arange(first - 1, first + 3)
        inside = np.clip(places, 0, size - 1)
        if half_pixel:
            weights = [
                w if p == q else 0.0 for w, p, q in zip(weights, places, inside, strict=True)
            ]
            weights = [w / sum(weights) for w in weights]
        np.add.at(result[row], inside, weights)
    return result


def area_weights(size: int, out: int, scale: np.float32) -> np.ndarray:
    """The part of every element that a result covers."""
    result = np.zeros((out, size))
    if scale == 0:  # of one element, with align_corners
        result[:, 0] = 1
        return result
    for row in range(out):
        start, end = float(np.float32(row) * scale), float(np.float32(row + 1) * scale)
        for k in range(int(np.floor(start)), int(np.ceil(end))):
            covered = min(k + 1, end) - max(k, start)
            result[row, min(max(k, 0), size - 1)] += covered / float(scale)
    return result


def _lanczos(radius: int) -> Callable[[np.ndarray], np.ndarray]:
    def kernel(x: np.ndarray) -> np.ndarray:
        turn = np.pi * np.maximum(x, 1e-3)
        value = radius * np.sin(turn) * np.sin(turn / radius) / (turn * turn)
        return np.where(x <= 1e-3, 1, value)

    return kernel


def _keys(x: np.ndarray) -> np.ndarray:
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x >= 1, far, ((1.5 * x - 2.5) * x) * x + 1)


def _mitchell(x: np.ndarray) -> np.ndarray:
    far = (((-7 / 18) * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 1, far, ((7 / 6) * x - 2) * x * x + 8 / 9)


KERNELS: dict[str, tuple[float, Callable[[np.ndarray], np.ndarray]]] = {
    "lanczos1": (1, _lanczos(1)),
    "lanczos3": (3, _lanczos(3)),
    "lanczos5": (5, _lanczos(5)),
    "gaussian": (1.5, lambda x: np.where(x >= 1.5, 0, np.exp(-x * x / 0.5))),
    "box": (1, lambda x: np.where(x < 0.5, 1, np.where(x == 0.5, 0.5, 0))),
    "triangle": (1, lambda x: 1 - x),
    "keyscubic": (2, _keys),
    "mitchellcubic": (2, _mitchell),
}
"""Radius and values of each kernel, which is asked of nothing beyond its radius."""


def kernel_weights(
    size: int, out: int, scale: float, translation: float, kind: str, *, antialias: bool
) -> np.ndarray:
    """ScaleAndTranslate on one axis: `out` samples at (k + 1/2 - translation) / scale."""
    if kind not in KERNELS:
        raise Unsupported(f"ScaleAndTranslate with kernel_type={kind!r}")
    radius, kernel = KERNELS[kind]
    inverse = np.float32(1) / np.float32(scale)
    moved = -inverse * np.float32(translation)
    width = max(float(inverse), 1.0) if antialias else 1.0
    result = np.zeros((out, size))
    for row in range(out):
        at = np.float32(row + 0.5) * inverse + moved
        if not 0 <= at <= size:
            continue
        start = min(max(int(np.ceil(at - radius * width - 0.5)), 0), size - 1)
        end = min(max(int(np.floor(at + radius * width - 0.5)), 0), size - 1) + 1
        places = np.arange(start, end)
        weights = kernel(np.abs((places + 0.5).astype(np.float32) - at) / width)
        result[row, start:end] = weights / weights.sum()
    return result
