"""Whether numbers that nobody can know are drawn alike: as many of each size, up to chance.

The distance of two samples is that of their cumulative distributions where these are furthest apart
(Kolmogorov and Smirnov). Two samples of one distribution are that far apart once in 10^9 times; a
thousand numbers tell a mean that is a third of the deviation off, ten thousand a tenth.
"""

from __future__ import annotations

import math

import numpy as np

from .compare import Difference

CHANCE = 1e-9
FEWEST = 100
"""A few numbers say nothing."""


def compare_drawn(got: np.ndarray, want: np.ndarray) -> Difference:
    """Two arrays of one precision and shape, of which only the distribution is known."""
    if got.size < FEWEST or got.dtype.kind == "c":
        return Difference(None)
    found, least = distance(got, want), _least(got.size)
    if found <= least:
        return Difference(None)
    return Difference(
        f"another distribution: {describe(got)} instead of {describe(want)}; {100 * found:.0f} % "
        f"of {got.size} numbers lie elsewhere, {100 * least:.0f} % are chance"
    )


def distance(got: np.ndarray, want: np.ndarray) -> float:
    """The largest difference of shares of numbers below a bound; NaN is beyond all."""
    a, b = (np.sort(_as_numbers(x)) for x in (got, want))
    bounds = np.concatenate([a, b])
    shares = [np.searchsorted(x, bounds, side="right") / x.size for x in (a, b)]
    return float(np.max(np.abs(shares[0] - shares[1])))


def describe(array: np.ndarray) -> str:
    """A sample in a few words."""
    numbers = _as_numbers(array)
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return "no number"
    low, middle, high = np.quantile(finite, [0.0, 0.5, 1.0])
    return f"{low:.4g} to {high:.4g} around {middle:.4g}"


def _least(count: int) -> float:
    """What is no chance any more, for two samples of a size."""
    return math.sqrt(-math.log(CHANCE / 2) / count)


def _as_numbers(array: np.ndarray) -> np.ndarray:
    numbers = array.astype(np.float64).reshape(-1)
    return np.where(np.isnan(numbers), np.inf, numbers)
