"""What the numbers of weights are like: extremes, mean and a histogram, within a limit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from nnir.model import Value

BINS = 32
MOST = 1 << 26
"""Elements that are read for one page; the weights behind them have no numbers."""

CHUNK = 1 << 20


def describe_weights(values: Iterable[Value], most: int = MOST) -> dict[Value, dict[str, Any]]:
    """Numbers for each weight, in order, until `most` elements are read; {} for the others."""
    found: dict[Value, dict[str, Any]] = {}
    for value in values:
        array = value.constant
        if array is None:
            continue
        fits = array.size <= most
        found[value] = describe(array) if fits and array.size else {}
        most -= array.size if fits else 0
    return found


def describe(array: np.ndarray) -> dict[str, Any]:
    """Extremes, mean and histogram of the finite elements, and how many are not finite."""
    if array.dtype.kind == "c":
        return {}
    flat = array.reshape(-1) if array.flags.c_contiguous else array.ravel()
    chunks = range(0, flat.size, CHUNK)
    low, high, total, finite, zeros = np.inf, -np.inf, 0.0, 0, 0
    for start in chunks:
        part = _finite(flat[start : start + CHUNK])
        finite += part.size
        zeros += int(part.size - np.count_nonzero(part))
        if part.size:
            low, high = min(low, float(part.min())), max(high, float(part.max()))
            total += float(part.sum())
    if not finite:
        return {"odd": int(flat.size)}
    counts = np.zeros(BINS, np.int64)
    edges = (low, high) if low < high else (low - 0.5, low + 0.5)
    if np.isfinite(edges[1] - edges[0]):
        for start in chunks:
            counts += np.histogram(_finite(flat[start : start + CHUNK]), BINS, edges)[0]
    return {
        "min": low,
        "max": high,
        "mean": total / finite,
        "zeros": zeros,
        "odd": int(flat.size - finite),
        "range": edges,
        "bins": counts.tolist(),
    }


def _finite(part: np.ndarray) -> np.ndarray:
    wide = part.astype(np.float64)
    kept: np.ndarray = wide[np.isfinite(wide)]
    return kept
