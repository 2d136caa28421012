"""Arithmetic of resizing and of sampling at positions, over any number of axes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ..numeric import at_positions
from ..records import dataclass

CUBIC = -0.75


@dataclass(frozen=True)
class Filter:
    """How one axis is resampled."""

    mode: str
    coordinates: str
    nearest: str
    antialias: bool
    exclude_outside: bool
    cubic_coeff_a: float


def positions(
    coordinates: str, size: int, out: int, scale: float, roi: tuple[float, float] | None
) -> np.ndarray:
    """Where in an axis of `size` the `out` results lie (ONNX Resize)."""
    at = np.arange(out, dtype=np.float64)
    length = scale * size
    match coordinates:
        case "align_corners":
            return np.zeros(out) if length == 1 else at * (size - 1) / (length - 1)
        case "asymmetric":
            return at / scale
        case "pytorch_half_pixel":
            return np.zeros(out) if out == 1 else (at + 0.5) / scale - 0.5
        case "half_pixel_symmetric":
            return size / 2 * (1 - out / length) + (at + 0.5) / scale - 0.5
        case "tf_crop_and_resize":
            start, end = roi or (0.0, 1.0)
            if length == 1:
                return np.full(out, (start + end) / 2 * (size - 1))
            return at * (end - start) * (size - 1) / (length - 1) + start * (size - 1)
    return (at + 0.5) / scale - 0.5


def weights(
    how: Filter, size: int, out: int, scale: float, roi: tuple[float, float] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Neighbours [out, k], their weights [out, k] and which results lie outside of the axis."""
    at = positions(how.coordinates, size, out, scale, roi)
    crop = how.coordinates == "tf_crop_and_resize"
    outside = (at < 0) | (at > size - 1) if crop else np.zeros(out, bool)
    if how.mode == "nearest":
        near = np.clip(_nearest(at, how.nearest), 0, max(size - 1, 0))[:, None]
        return near, np.ones(near.shape), outside
    shrink = min(scale, 1.0) if how.antialias else 1.0
    radius = int(np.ceil((2 if how.mode == "cubic" else 1) / shrink))
    near = np.floor(at).astype(np.int64)[:, None] + np.arange(1 - radius, radius + 1)
    distance = np.abs(near - at[:, None]) * shrink
    if how.mode == "cubic":
        factors = cubic(distance, how.cubic_coeff_a)
    else:
        factors = np.clip(1 - distance, 0, 1)
    if how.exclude_outside:
        factors = np.where((near >= 0) & (near < size), factors, 0)
    if how.antialias or how.exclude_outside:
        total = factors.sum(axis=1, keepdims=True)
        factors = factors / np.where(total == 0, 1, total)
    return np.clip(near, 0, max(size - 1, 0)), factors, outside


def _nearest(at: np.ndarray, how: str) -> np.ndarray:
    match how:
        case "round_prefer_ceil":
            near = np.floor(at + 0.5)
        case "floor":
            near = np.floor(at)
        case "ceil":
            near = np.ceil(at)
        case _:
            near = np.ceil(at - 0.5)
    return near.astype(np.int64)


def cubic(distance: np.ndarray, a: float) -> np.ndarray:
    """The convolution kernel of Keys (1981) with parameter `a`."""
    x = np.abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


@at_positions()
def along(data: np.ndarray, axis: int, near: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Weighted sums of neighbours along one axis."""
    tail = (1,) * (data.ndim - axis - 1)
    total: np.ndarray | float = 0.0
    for k in range(near.shape[1]):
        total = total + data.take(near[:, k], axis) * factors[:, k].reshape(-1, *tail)
    return np.asarray(total)


def unnormalise(grid: np.ndarray, size: int, *, align_corners: bool) -> np.ndarray:
    """[-1, 1] to positions in an axis: of the corner pixels' centres, or of the image's edges."""
    if align_corners:
        return (grid + 1) / 2 * (size - 1)
    return ((grid + 1) * size - 1) / 2


def reflect(at: np.ndarray, low: float, high: float) -> np.ndarray:
    """Mirror positions at `low` and `high` until they lie between."""
    span = high - low
    if span <= 0:
        return np.full_like(at, low)
    away = np.abs(at - low)
    turns, rest = np.floor(away / span), np.mod(away, span)
    return np.where(turns % 2 == 0, low + rest, high - rest).astype(at.dtype)


def apply_border(at: np.ndarray, size: int, border: str, *, align_corners: bool) -> np.ndarray:
    """Positions as the border moves them: zeros stay, border clamps, reflection mirrors."""
    match border:
        case "border":
            return np.clip(at, 0, max(size - 1, 0))
        case "reflection":
            low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
            return np.where((at < low) | (at > high), reflect(at, low, high), at)
    return at


def sample(
    input: np.ndarray, grid: np.ndarray, *, mode: str, border: str, align_corners: bool
) -> np.ndarray:
    """Values of [N, C, *spatial] at positions [N, *out, rank], the last axis first."""
    sizes = input.shape[2:]
    rank = len(sizes)
    near, factors = [], []
    for axis, size in enumerate(sizes):
        at = unnormalise(grid[..., rank - 1 - axis], size, align_corners=align_corners)
        if border == "border" and mode != "cubic":  # infinity is beyond the last element
            at = apply_border(at, size, border, align_corners=align_corners)
        at = np.where(np.isfinite(at), at, -2.0).astype(at.dtype)
        if mode == "nearest":
            at = np.rint(at)
        if mode != "cubic":  # whose taps are bounded one by one, as in PyTorch
            at = apply_border(at, size, border, align_corners=align_corners)
        found, weight = _neighbours(at, mode)
        near.append(found)
        factors.append(weight)
    planes = np.moveaxis(input, 1, -1)
    batch = np.arange(input.shape[0]).reshape(-1, *(1,) * (grid.ndim - 2))
    total: np.ndarray | float = 0.0
    for taps in itertools.product(*(range(n.shape[0]) for n in near)):
        where = [n[t] for n, t in zip(near, taps, strict=True)]
        weight = np.prod([f[t] for f, t in zip(factors, taps, strict=True)], axis=0)
        total = total + _pixels(planes, batch, where, border, align_corners) * weight[..., None]
    return np.moveaxis(np.asarray(total), -1, 1)


def is_nowhere(grid: np.ndarray, *, mode: str, border: str) -> np.ndarray:
    """Which positions [N, *out, rank] stand for no place: those with a NaN, and infinity where the
    border does not clamp it."""
    clamps = border == "border" and mode != "cubic"
    return (np.isnan(grid) if clamps else ~np.isfinite(grid)).any(axis=-1)


def _neighbours(at: np.ndarray, mode: str) -> tuple[np.ndarray, np.ndarray]:
    """Positions and weights [k, ...] of the neighbours that make up one value."""
    if mode == "nearest":
        return at[None].astype(np.int64), np.ones((1, *at.shape), at.dtype)
    base = np.floor(at)
    steps = np.arange(-1, 3) if mode == "cubic" else np.arange(2)
    near = base + steps.reshape(-1, *(1,) * at.ndim)
    distance = np.abs(near - at)
    factors = cubic(distance, CUBIC) if mode == "cubic" else 1 - distance
    return near.astype(np.int64), factors.astype(at.dtype)


@at_positions()
def _pixels(
    planes: np.ndarray,
    batch: np.ndarray,
    where: Sequence[np.ndarray],
    border: str,
    align_corners: bool,
) -> np.ndarray:
    inside = np.ones(where[0].shape, bool)
    index = []
    for at, size in zip(where, planes.shape[1:-1], strict=True):
        inside &= (at >= 0) & (at < size)
        if border == "reflection":
            at = apply_border(at.astype(np.float64), size, border, align_corners=align_corners)
        index.append(np.clip(at, 0, max(size - 1, 0)).astype(np.int64))
    values = planes[(batch, *index)]
    return values if border != "zeros" else np.where(inside[..., None], values, 0)


def matrix_of(near: np.ndarray, factors: np.ndarray, size: int) -> np.ndarray:
    """Weights [out, size] of all elements, of those [out, taps] of the neighbours."""
    matrix = np.zeros((len(near), size))
    np.add.at(matrix, (np.arange(len(near))[:, None], near), factors)
    return matrix
