"""Diagonals and bands of matrices."""

from __future__ import annotations

import numpy as np

from .. import build
from ..dim import Expr
from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import compare, index, shape

ALIGNED = {"LEFT_LEFT": (0, 0), "LEFT_RIGHT": (0, 1), "RIGHT_LEFT": (1, 0), "RIGHT_RIGHT": (1, 1)}
"""Whether diagonals above and below the main one end at the right."""


def diagonal_matrix(diagonal: Value) -> Value:
    """Matrices with a diagonal, and zeros elsewhere."""
    steps = build.arange_along(diagonal, -1)
    is_on = compare.equal(shape.unsqueeze(steps, [1]), steps)
    wide = shape.unsqueeze(diagonal, [diagonal.rank])
    return compare.where(is_on, wide, 0)


def band_bounds(k: tuple[int, ...]) -> tuple[int, int]:
    """The first and the last diagonal that `k` names."""
    first, last = k[0], k[-1]
    if len(k) > 2 or first > last:
        raise BadType(f"diagonals k={list(k)}")
    return first, last


def band_positions(rows: int, columns: int, k: tuple[int, ...], align: str) -> np.ndarray:
    """For each diagonal, from the last to the first, which element of the matrix each is, or -1."""
    if align not in ALIGNED:
        raise Unsupported(f"diagonals with align={align!r}")
    first, last = band_bounds(k)
    above, below = ALIGNED[align]
    longest = max(min(rows + min(last, 0), columns - max(first, 0)), 0)
    build.arange((last - first + 1) * longest)  # too many are refused
    found = np.full((last - first + 1, longest), -1)
    for place, offset in enumerate(range(last, first - 1, -1)):
        count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
        right = (offset < 0 or above) and (offset > 0 or below)
        start = longest - count if right else 0
        steps = np.arange(count)
        row, column = steps + max(-offset, 0), steps + max(offset, 0)
        found[place, start : start + count] = row * columns + column
    return found


def band_elements(diagonal: Value, k: tuple[int, ...]) -> Value:
    """The elements of all diagonals along one axis."""
    if len(k) < 2 or k[0] == k[1]:
        return diagonal
    head, count = build.sizes_of(diagonal)[:-2], build.known_sizes(diagonal, (-2, -1))
    return build.reshape(diagonal, [*head, count[0] * count[1]])


def constant_mask(x: Value, mask: np.ndarray) -> Value:
    """A mask as a constant in the model of `x`."""
    return x.model.constant(mask)


def band_indices(
    rows: int, columns: int, k: tuple[int, ...], align: str
) -> tuple[np.ndarray, np.ndarray]:
    """For each element of a matrix which element of the diagonals it is, and where it is one."""
    where = band_positions(rows, columns, k, align).reshape(-1)
    build.arange(rows * columns)  # too many are refused
    spots, mask = np.zeros(rows * columns, np.int64), np.zeros(rows * columns, np.bool_)
    spots[where[where >= 0]] = np.flatnonzero(where >= 0)
    mask[where[where >= 0]] = True
    return spots.reshape(rows, columns), mask.reshape(rows, columns)


def has_open_sizes(x: Value) -> bool:
    """Whether the sizes of matrices are only known while running."""
    return any(isinstance(d, Expr) for d in x.shape[-2:])


def set_diagonals(x: Value, diagonal: Value, k: tuple[int, ...], align: str) -> Value:
    """Matrices with other diagonals."""
    if band_bounds(k) == (0, 0) and x.shape[-1] == x.shape[-2] and has_open_sizes(x):
        steps = build.arange_along(x, -1)
        is_on = compare.equal(shape.unsqueeze(steps, [1]), steps)
        return compare.where(is_on, shape.unsqueeze(diagonal, [diagonal.rank]), x)
    rows, columns = build.known_sizes(x, (-2, -1))
    spots, mask = band_indices(rows, columns, k, align)
    found = index.gather(band_elements(diagonal, k), spots, axis=-1)
    return compare.where(constant_mask(found, mask), found, x)
