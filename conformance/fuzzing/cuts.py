"""Smaller cases that choices alone do not lead to: one position of an axis instead of all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..case import Case
from .changes import fixed_sizes
from .tree import array_of, entries, is_leaf, rebuilt, with_array

MOST = 9


def cuts(case: Case) -> Iterator[Case]:
    """The case with one position left of all axes of a size, or two of a longer one."""
    leaves = {p: v for p, v in entries(case).items() if is_leaf(v)}
    sizes = {n for v in leaves.values() for n in array_of(v).shape if n > 1}
    kept = {n for v in leaves.values() for n in fixed_sizes(v)}
    kept |= {n for r in case.results if isinstance(r, np.ndarray) for n in r.shape}
    for size in sorted(sizes - kept, reverse=True):
        places = [*range(min(size, MOST)), *range(max(size - MOST, MOST), size)]
        picks = [[k] for k in places] + ([[k, k + 1] for k in places[:-1]] if size > 2 else [])
        for chosen in picks:
            if chosen[-1] < size:
                new = {p: with_array(v, _cut(array_of(v), size, chosen)) for p, v in leaves.items()}
                yield rebuilt(case, new)


def _cut(array: np.ndarray, size: int, chosen: list[int]) -> np.ndarray:
    for axis, own in enumerate(array.shape):
        if own == size:
            array = np.take(array, chosen, axis)
    return array
