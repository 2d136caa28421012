"""Which real numbers the integers of a precision stand for: real = (q - zero_point) * scale."""

from __future__ import annotations

import numpy as np

from ..ops.quant import integer_range
from ..records import dataclass
from ..types import Precision

SMALLEST_SCALE = float(np.finfo(np.float32).tiny)
"""Scales below the smallest normal number of FLOAT32 are flushed to 0 by some engines."""


@dataclass(frozen=True)
class Grid:
    """Evenly spaced real numbers, 0 among them, one for each integer of `precision`.

    `scale` is a number of FLOAT32; `low` and `high` are the outermost integers in use.
    """

    scale: float
    zero_point: int
    precision: Precision

    @property
    def low(self) -> float:
        return (integer_range(self.precision)[0] - self.zero_point) * self.scale

    @property
    def high(self) -> float:
        return (integer_range(self.precision)[1] - self.zero_point) * self.scale

    def round(self, values: np.ndarray) -> np.ndarray:
        """The nearest numbers of the grid, in FLOAT64; what lies outside becomes its end."""
        least, most = integer_range(self.precision)
        steps = np.rint(values / self.scale) + self.zero_point
        return np.asarray((np.clip(steps, least, most) - self.zero_point) * self.scale)


def grid_between(
    low: float, high: float, precision: Precision, *, is_symmetric: bool = False
) -> Grid:
    """The finest grid that covers `low`, `high` and 0.

    A symmetric one has its zero point in the middle of a signed precision and leaves the lowest
    integer out, as the standard does. Source: Jacob et al., "Quantization and Training of Neural
    Networks for Efficient Integer-Arithmetic-Only Inference", 2018.
    """
    low, high = min(low, 0.0), max(high, 0.0)
    least, most = integer_range(precision)
    if is_symmetric:
        middle = 0 if least < 0 else (most + 1) // 2
        scale = _as_float32(max(-low, high) / (most - middle))
        return Grid(scale, middle, precision)
    scale = _as_float32((high - low) / (most - least))
    zero_point = round(least - low / scale)
    return Grid(scale, min(max(zero_point, least), most), precision)


def _as_float32(scale: float) -> float:
    """A scale that FLOAT32 holds and that is not 0; 1 for a range of nothing but 0."""
    if scale == 0:
        return 1.0
    return max(float(np.float32(scale)), SMALLEST_SCALE)
