"""Sizes and shapes in converters: constants where known, else computed by the graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.broadcast import axis_of, contents
from nnir.dim import Expr
from nnir.errors import Unsupported
from nnir.model import Index, Value
from nnir.ops import index, shape
from nnir.types import Precision


def sizes_of(x: Value) -> Value:
    """The shape of `x` as an int64 vector."""
    if x.is_static:
        return x.model.constant(np.array(x.shape, np.int64))
    return shape.shape(x, dtype=Precision.INT64)


def size_of(x: Value, axis: int) -> Value:
    """The size of one axis as an int64 tensor of rank 0."""
    axis = axis_of(axis, x.rank)
    known = x.shape[axis]
    if not isinstance(known, Expr):
        return x.model.constant(np.int64(known))
    return index.gather(sizes_of(x), x.model.constant(np.int64(axis)), axis=0)


def vector(x: Value, sizes: Sequence[int | Value]) -> Value:
    """Sizes, some of them of the graph, as an int64 vector; `x` says in which model."""
    if all(isinstance(s, int) for s in sizes):
        return x.model.constant(np.array(sizes, np.int64))
    pieces = [
        shape.reshape(s, [1]) if isinstance(s, Value) else x.model.constant(np.array([s], np.int64))
        for s in sizes
    ]
    return pieces[0] if len(pieces) == 1 else shape.concat(*pieces, axis=0)


def reshaped(x: Value, size: Index) -> Value:
    """`x` in a new shape; unlike RESHAPE's, a size of 0 is 0."""
    target = contents(size)
    if target is not None and all(isinstance(d, Expr) or d != 0 for d in target):
        return x if target == x.shape else shape.reshape(x, size)
    return shape.reshape_exact(x, size)


MOST = 2**26
"""So many elements a constant may have that a converter makes."""


def steps_to(count: int) -> np.ndarray:
    """0, 1, ... for a constant of the model; Unsupported where it would fill the memory."""
    if count > MOST:
        raise Unsupported(f"{count} positions as a constant of the model")
    return np.arange(max(count, 0))
