"""From the values that a tensor has on calibration data to the range that integers stand for.

A first pass over the data finds the extremes, a second one counts what lies between them; a method
chooses how much of the ends is cut off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Literal, get_args

import numpy as np

from ..records import dataclass
from ..types import Precision
from .grid import Grid, grid_between

Method = Literal["minmax", "percentile", "entropy", "mse"]
METHODS: tuple[Method, ...] = get_args(Method)

BINS = 4096
"""Bins of a histogram: 16 for each step of 8 bits."""

CUTS = 48
"""So many fractions of the range are tried at each end."""


REACH = 12.0
"""What lies so far below the largest element has a share of a SOFTMAX below e ** -12."""


def matter_for_softmax(values: np.ndarray, axis: int) -> np.ndarray:
    """What a SOFTMAX along an axis can tell apart: masks hold -10000, which is as good as nothing.

    What has no share is moved up to where it has none yet: a range that ends above that would give
    it one.
    """
    if not values.size:
        return values
    return np.maximum(values, values.max(axis=axis, keepdims=True) - np.float32(REACH))


@dataclass
class Extremes:
    """The least and the largest value that was seen; `is_finite` is false after NaN or infinity."""

    low: float = np.inf
    high: float = -np.inf
    is_finite: bool = True

    def add(self, values: np.ndarray) -> None:
        """Take the values of one run into account."""
        if not values.size:
            return
        low, high = float(values.min()), float(values.max())
        if not (np.isfinite(low) and np.isfinite(high)):
            self.is_finite = False
            return
        self.low, self.high = min(self.low, low), max(self.high, high)

    @property
    def is_empty(self) -> bool:
        return self.low > self.high


@dataclass
class Histogram:
    """How often values between two extremes were seen, but for zeros, which every grid has."""

    low: float
    high: float
    counts: np.ndarray = field(default_factory=lambda: np.zeros(BINS, np.int64))

    def add(self, values: np.ndarray) -> None:
        """Count the values of one run."""
        flat = values.reshape(-1)
        others = flat[flat != 0]
        if self.high > self.low and others.size:
            found, _ = np.histogram(others, BINS, (self.low, self.high))
            self.counts += found

    @property
    def centres(self) -> np.ndarray:
        """The middles of the bins."""
        width = (self.high - self.low) / BINS
        return self.low + width * (np.arange(BINS) + 0.5)


def choose_grid(
    histogram: Histogram,
    method: Method,
    precision: Precision,
    *,
    is_symmetric: bool = False,
    percentile: float = 99.99,
) -> Grid:
    """The grid for a tensor.

    "minmax" covers everything; "percentile" so many hundredths of the values; "entropy" loses
    least information (the divergence of Kullback and Leibler); "mse" has the smallest mean squared
    error of rounding and cutting together.
    """
    low, high = histogram.low, histogram.high
    if method != "minmax" and histogram.counts.any():
        if method == "percentile":
            low, high = _percentile_range(histogram, percentile)
        else:
            cost = _squared_error if method == "mse" else _divergence
            low, high = _cheapest_range(histogram, cost, precision, is_symmetric=is_symmetric)
    return grid_between(low, high, precision, is_symmetric=is_symmetric)


def _percentile_range(histogram: Histogram, percentile: float) -> tuple[float, float]:
    """What is left when the rarest values are cut off, half of them at each end."""
    share = np.cumsum(histogram.counts) / histogram.counts.sum()
    outside = (1 - percentile / 100) / 2
    edges = np.linspace(histogram.low, histogram.high, BINS + 1)
    first = int(np.searchsorted(share, outside, side="right"))
    last = int(np.searchsorted(share, 1 - outside, side="left"))
    return float(edges[first]), float(edges[min(last + 1, BINS)])


Cost = Callable[[Histogram, Grid], float]


def _cheapest_range(
    histogram: Histogram, cost: Cost, precision: Precision, *, is_symmetric: bool
) -> tuple[float, float]:
    """The range of least cost, one end after the other until neither moves."""

    def price(low: float, high: float) -> float:
        return cost(histogram, grid_between(low, high, precision, is_symmetric=is_symmetric))

    fractions = np.linspace(1, 1 / CUTS, CUTS)
    if is_symmetric:
        reach = max(-histogram.low, histogram.high)
        best = min(fractions, key=lambda f: price(-reach * f, reach * f))
        return -reach * float(best), reach * float(best)
    low, high = histogram.low, histogram.high
    for _ in range(3):
        before = low, high
        if histogram.high > 0:
            high = histogram.high * float(
                min(fractions, key=lambda f: price(low, histogram.high * f))
            )
        if histogram.low < 0:
            low = histogram.low * float(
                min(fractions, key=lambda f: price(histogram.low * f, high))
            )
        if (low, high) == before:
            break
    return low, high


def _squared_error(histogram: Histogram, grid: Grid) -> float:
    """The sum of squared errors of rounding what was counted."""
    away = grid.round(histogram.centres) - histogram.centres
    return float(np.dot(away * away, histogram.counts))


def _divergence(histogram: Histogram, grid: Grid) -> float:
    """How much less the rounded values say than the values.

    What is cut off counts as the end of the grid; each number of the grid stands evenly for the
    bins that are rounded to it and hold anything.
    """
    steps = np.rint(np.clip(histogram.centres, grid.low, grid.high) / grid.scale).astype(np.int64)
    steps -= steps.min()
    inside = (histogram.centres >= grid.low) & (histogram.centres <= grid.high)
    kept = histogram.counts * inside
    whole = _with_ends(histogram.counts, inside)
    full = np.bincount(steps, kept)
    occupied = np.bincount(steps, kept > 0)
    spread = np.divide(full, occupied, out=np.zeros_like(full), where=occupied > 0)
    model = np.where(kept > 0, spread[steps], 0)
    p, q = whole / whole.sum(), model / max(model.sum(), 1)
    seen = p > 0
    tiny = 1e-9
    return float(np.sum(p[seen] * np.log(p[seen] / np.maximum(q[seen], tiny))))


def _with_ends(counts: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Counts whose outer parts are added to the outermost bins that are kept."""
    places = np.flatnonzero(inside)
    if not places.size:
        return counts.astype(np.float64)
    first, last = places[0], places[-1]
    merged = np.where(inside, counts, 0).astype(np.float64)
    merged[first] += counts[:first].sum()
    merged[last] += counts[last + 1 :].sum()
    return merged
