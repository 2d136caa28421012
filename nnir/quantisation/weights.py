"""Constants as integers: the weights of products, biases, and constants that are added."""

from __future__ import annotations

import numpy as np

from ..model import Model, Value
from ..ops import quant
from ..ops.quant import integer_range
from ..records import dataclass
from ..types import Precision
from .grid import SMALLEST_SCALE, Grid
from .scheme import Scheme

LARGEST_BIAS = 2.0**30
"""Half of what INT32 holds: the rest is for the sum that the bias is added to."""

SHRINKS = np.linspace(1.0, 0.7, 16)
"""Fractions of the largest weight that the largest integer may stand for."""


@dataclass(frozen=True)
class Integers:
    """A constant as integers: one scale, one for each entry of `axis`, or one for each block of
    `block` entries of it; `zero_point` is the integer that stands for 0, or one for each scale."""

    data: np.ndarray
    scales: np.ndarray
    precision: Precision
    zero_point: int | np.ndarray = 0
    axis: int = 0
    block: int = 0

    @property
    def zero_points(self) -> np.ndarray:
        """One for each scale."""
        each = np.broadcast_to(self.zero_point, self.scales.shape)
        return np.array(each).astype(self.precision.dtype)  # rank 0 stays rank 0

    def real(self) -> np.ndarray:
        """The numbers that they stand for, in FLOAT32."""
        read = quant.dequantize_linear.reference
        how = {"axis": self.axis, "block_size": self.block, "dtype": Precision.FLOAT32}
        return np.asarray(read(self.data, self.scales, self.zero_points, **how))

    def append_to(self, model: Model, name: str | None) -> Value:
        """The numbers as a value: constants behind a DEQUANTIZE_LINEAR."""
        stem = name or "constant"
        value = quant.dequantize_linear(
            model.constant(self.data, name=f"{stem}_quantized"),
            model.constant(self.scales, name=f"{stem}_scale"),
            model.constant(self.zero_points, name=f"{stem}_zero_point"),
            axis=self.axis,
            block_size=self.block,
        )
        value.name = f"{stem}_dequantized"
        return value


def round_weights(
    array: np.ndarray, axis: int | None, scheme: Scheme, least_scales: np.ndarray | float = 0.0
) -> Integers:
    """Weights around 0, with a scale for each entry of `axis`, or one for all where it is None.

    No scale is below `least_scales` (one, or one for each entry). Below 8 bits a scale has the
    smallest squared error, else it covers the largest weight.
    """
    along = axis if scheme.per_channel else None
    rows = array.reshape(1, -1) if along is None else _rows_along(array, along)
    least = np.asarray(least_scales if along is not None else np.max(least_scales))
    steps, scales, zeros = _round_rows(rows, scheme, range_of(scheme), least)
    if along is None:
        return _integers(steps.reshape(array.shape), scales, zeros, scheme)
    turned = np.moveaxis(array, along, 0).shape
    data = np.moveaxis(steps.reshape(turned), 0, along)
    return _integers(data, scales, zeros, scheme, axis=along)


def round_blocks(matrix: np.ndarray, axis: int, scheme: Scheme) -> Integers:
    """Weights with a scale for each `scheme.block` entries of `axis`, along which products are
    added; the last block may be shorter."""
    block = scheme.block
    turned = np.moveaxis(matrix, axis, -1)
    missing = -turned.shape[-1] % block
    padded = np.pad(turned, [(0, 0)] * (turned.ndim - 1) + [(0, missing)])
    found = _round_rows(padded.reshape(-1, block), scheme, range_of(scheme), np.zeros(()))
    data = found[0].reshape(padded.shape)[..., : turned.shape[-1]]
    shape = (*turned.shape[:-1], padded.shape[-1] // block)
    scales, zeros = (np.moveaxis(each.reshape(shape), -1, axis) for each in found[1:])
    return _integers(np.moveaxis(data, -1, axis), scales, zeros, scheme, axis=axis, block=block)


def _integers(
    steps: np.ndarray,
    scales: np.ndarray,
    zeros: np.ndarray,
    scheme: Scheme,
    axis: int = 0,
    block: int = 0,
) -> Integers:
    data = np.ascontiguousarray(steps).astype(np.int16).astype(scheme.weights.dtype)
    scales, zeros = np.ascontiguousarray(scales), zeros.astype(np.int64)
    return Integers(data, scales, scheme.weights, zeros, axis, block)


def middle_of(precision: Precision) -> int:
    """The integer that stands for 0."""
    low, high = integer_range(precision)
    return 0 if low < 0 else (high + 1) // 2


def range_of(scheme: Scheme) -> tuple[int, int]:
    """The lowest and the highest integer in use: as many on each side of 0, but for zero points and
    for blocks of less than 8 bits, where integers are few."""
    is_narrow = scheme.block > 0 and scheme.weights != Precision.INT8
    if (is_narrow or scheme.weight_zero_points) and not scheme.reduced:
        return integer_range(scheme.weights)
    middle = middle_of(scheme.weights)
    most = integer_range(scheme.weights)[1] - middle
    most = most // 2 if scheme.reduced else most
    return middle - most, middle + most


def _rows_along(array: np.ndarray, axis: int) -> np.ndarray:
    return np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)


def _round_rows(
    rows: np.ndarray, scheme: Scheme, limits: tuple[int, int], least: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The integers of each row, its scale and its zero point."""
    scales, zeros = _choose_scales(rows, scheme, limits)
    scales = np.maximum(scales, least)
    usual = scales.max(initial=0) or 1.0
    scales = np.where(scales == 0, usual, scales)  # a row of zeros
    scales = np.maximum(scales.astype(np.float32), np.float32(SMALLEST_SCALE))
    return _steps(rows, scales, zeros, limits), scales, zeros


def _steps(
    rows: np.ndarray, scales: np.ndarray, zeros: np.ndarray, limits: tuple[int, int]
) -> np.ndarray:
    """The nearest integers."""
    return np.clip(np.rint(rows / scales[:, None]) + zeros[:, None], *limits)


def _choose_scales(
    rows: np.ndarray, scheme: Scheme, limits: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """The scale of each row and its zero point; scales are 0 where all weights are."""
    low, high = rows.min(axis=1, initial=0), rows.max(axis=1, initial=0)
    if scheme.weight_zero_points:
        full = (high.astype(np.float64) - low) / (limits[1] - limits[0])
    else:
        middle = middle_of(scheme.weights)
        above, below = limits[1] - middle, middle - limits[0]
        full = np.maximum(high.astype(np.float64) / above, -low.astype(np.float64) / below)
    if scheme.weights == Precision.INT8:
        return full, _zeros_for(low, full, scheme, limits)
    best, error = (full, _zeros_for(low, full, scheme, limits)), np.full(full.shape, np.inf)
    for shrink in SHRINKS:
        scales = np.where(full > 0, full * shrink, 1.0)
        zeros = _zeros_for(low * shrink, scales, scheme, limits)
        real = (_steps(rows, scales, zeros, limits) - zeros[:, None]) * scales[:, None]
        found = np.square(real - rows).sum(axis=1)
        is_better = found < error
        best = np.where(is_better, full * shrink, best[0]), np.where(is_better, zeros, best[1])
        error = np.where(is_better, found, error)
    return best


def _zeros_for(
    low: np.ndarray, scales: np.ndarray, scheme: Scheme, limits: tuple[int, int]
) -> np.ndarray:
    """The zero point of each row, whose lowest weight is `low`."""
    if not scheme.weight_zero_points:
        return np.full(low.shape, middle_of(scheme.weights), np.float64)
    usable = np.where(scales > 0, scales, 1.0)
    return np.clip(np.rint(limits[0] - low / usable), *limits)


def round_bias(bias: np.ndarray, scales: np.ndarray) -> Integers:
    """A bias as INT32 in steps of the products that it is added to."""
    whole = np.rint(bias.astype(np.float64) / scales.astype(np.float64))
    limit = float(integer_range(Precision.INT32)[1])
    data = np.clip(whole, -limit, limit).astype(np.int32)
    return Integers(data, scales.astype(np.float32), Precision.INT32)


def least_weight_scales(bias: np.ndarray | None, input_scale: float) -> np.ndarray | float:
    """The scales of weights from which on a bias fits into INT32."""
    if bias is None:
        return 0.0
    return np.abs(bias.astype(np.float64)) / (input_scale * LARGEST_BIAS)


def round_to(array: np.ndarray, grid: Grid) -> Integers:
    """A constant by a grid that is known."""
    low, high = integer_range(grid.precision)
    whole = np.clip(np.rint(array / grid.scale) + grid.zero_point, low, high)
    data = whole.astype(grid.precision.dtype)
    scale = np.asarray(grid.scale, np.float32)
    return Integers(data, scale, grid.precision, grid.zero_point)
