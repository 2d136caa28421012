"""NumPy's advanced indexing, to read and to write: several tensors of positions, masks, gaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.model import Value
from nnir.ops import index
from nnir.recipes.index import index_vectors, locate
from nnir.recipes.shape import permute


def index_elements(x: Value, indices: Sequence[Value | None]) -> Value:
    """The elements of `x` at `indices`."""
    if all(v is None for v in indices):
        return x
    found = locate(x, indices)
    if len(found.axes) == 1:
        return index.gather(found.x, found.where[0], axis=found.axes[0])
    if found.is_adjacent and (shapes := _separate(found.where)):
        result = found.x
        axis = found.axes[0]
        for where, own in zip(found.where, shapes, strict=True):
            result = index.gather(result, build.reshape_to(where, _constant(where, own)), axis=axis)
            axis += len(own)
        return result
    front = permute(found.x, found.perm)
    result = index.gather_nd(front, index_vectors(found.where))
    if not found.is_adjacent or found.axes[0] == 0:
        return result
    rank = result.rank - (found.x.rank - len(found.axes))
    before = found.axes[0]
    order = (*range(rank, rank + before), *range(rank), *range(rank + before, result.rank))
    return permute(result, order)


def _constant(x: Value, size: Sequence[int]) -> Value:
    return x.model.constant(np.array(size, np.int64))


def _separate(where: Sequence[Value]) -> list[tuple[int, ...]] | None:
    """The shapes of positions without their axes of 1, where each has axes of its own in order.

    Such positions are a grid: one GATHER after the other does the same as one of all.
    """
    rank = max(v.rank for v in where)
    if any(isinstance(d, Expr) for v in where for d in v.shape):
        return None
    padded = [(1,) * (rank - v.rank) + v.shape for v in where]
    owners = [[k for k, s in enumerate(padded) if s[axis] != 1] for axis in range(rank)]
    if any(len(o) > 1 for o in owners):
        return None
    current, order = 0, []
    for owner in owners:
        current = owner[0] if owner else current
        order.append(current)
    if order != sorted(order):
        return None
    shapes = [
        tuple(int(d) for d, o in zip(s, order, strict=True) if o == k)  # type: ignore[arg-type]
        for k, s in enumerate(padded)
    ]
    return shapes if all(shapes) else None
