"""Sizes, and how elements lie in memory."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir.dim import Dim, Expr
from nnir.errors import NoLowering

Dims = tuple[int, ...]
MOST_AXES = 4


def numbers(shape: Sequence[Dim]) -> Dims:
    """Sizes that are known; NoLowering where one is not."""
    found = tuple(d for d in shape if not isinstance(d, Expr))
    if len(found) < len(shape):
        text = ", ".join(map(str, shape))
        raise NoLowering(
            f"nnapi needs the sizes of [{text}] while compiling: fix them with --dim NAME=SIZE"
        )
    return found


def join_axes(shape: Dims) -> Dims:
    """The axes of a tensor: those of the value, the first ones joined where there are more than
    four; a number is a vector of one."""
    if not shape:
        return (1,)
    extra = len(shape) - MOST_AXES
    return shape if extra <= 0 else (math.prod(shape[: extra + 1]), *shape[extra + 1 :])


def longest_rows(places: np.ndarray, count: int) -> int:
    """How many elements lie together everywhere, at multiples of that number, out of `count`.

    Each run stands for one row of a table; -1 stands for elements that are not there, whole rows of
    them.
    """
    flat = places.reshape(-1)
    best = 1
    for axis in reversed(range(places.ndim)):
        size = math.prod(places.shape[axis:])
        if count % size:
            break
        rows = flat.reshape(-1, size)
        heads = rows[:, :1]
        run = np.where(heads < 0, -1, heads + np.arange(size))
        if not (np.array_equal(rows, run) and np.all((heads % size == 0) | (heads < 0))):
            break
        best = size
    return best
