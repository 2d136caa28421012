"""Comparison of two results: precision, then shape, then values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .case import Tolerance


@dataclass(frozen=True)
class Difference:
    """How two arrays differ. `problem` is None when they agree within the tolerance."""

    problem: str | None
    max_absolute: float = 0.0
    max_relative: float = 0.0
    max_ulp: float = 0.0
    index: tuple[int, ...] | None = None


def compare(got: np.ndarray, want: np.ndarray, tolerance: Tolerance) -> Difference:
    """`got` against `want`; NaN agrees with NaN and an infinity with the same infinity."""
    if got.dtype != want.dtype:
        return Difference(f"precision {got.dtype}, not {want.dtype}")
    if got.shape != want.shape:
        return Difference(f"shape {list(got.shape)}, not {list(want.shape)}")
    if not want.size:
        return Difference(None)
    a, b = _numbers(got), _numbers(want)
    with np.errstate(all="ignore"):
        absolute = np.where(_same(a, b), 0, np.abs(a - b))
        absolute = np.where(np.isnan(absolute), np.inf, absolute)
        scale = np.abs(b)
        excess = absolute - (
            tolerance.absolute + tolerance.relative * np.where(np.isfinite(scale), scale, 0)
        )
        relative = np.nan_to_num(np.where(absolute == 0, 0, absolute / scale), nan=np.inf)
        relative = np.where(np.isnan(relative), np.inf, relative)
    worst = np.unravel_index(int(np.argmax(absolute)), want.shape)
    index = tuple(int(k) for k in worst)
    ulp = _ulp(got, want, absolute)
    problem = None
    if (excess > 0).any():
        count = int((excess > 0).sum())
        problem = (
            f"{count} of {want.size} elements differ, worst at {list(index)}: "
            f"{got[index]} instead of {want[index]}"
        )
    return Difference(problem, float(absolute.max()), float(relative.max()), ulp, index)


def _numbers(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    if array.dtype.kind in "iub" and array.dtype.itemsize == 8:
        return array.astype(np.longdouble)
    return array.astype(np.float64)


def _same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a == b) | (np.isnan(a) & np.isnan(b))


def _ulp(got: np.ndarray, want: np.ndarray, absolute: np.ndarray) -> float:
    """The largest distance in units in the last place of `want`, for NumPy's own floats."""
    if want.dtype.kind != "f":
        return 0.0
    finite = np.isfinite(want) & np.isfinite(got)
    if not finite.any():
        return 0.0
    with np.errstate(over="ignore"):  # the largest float has no next one
        spacing = np.spacing(np.abs(want[finite])).astype(np.float64)
    return float((absolute[finite] / spacing).max())
