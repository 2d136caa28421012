"""NumPy's advanced indexing, to read and to write: several tensors of positions, masks, gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import index, shape, unary
from nnir.types import Precision

from .shape import common_sizes, expanded, permuted

MASKS = (Precision.BOOL8, Precision.UINT8)


@dataclass(frozen=True)
class Places:
    """Positions `where`, one tensor for each of `axes` (in order) of `x`."""

    x: Value
    axes: tuple[int, ...]
    where: tuple[Value, ...]

    @property
    def is_adjacent(self) -> bool:
        """Whether the axes follow one another: the result has theirs at their place, not first."""
        return self.axes == tuple(range(self.axes[0], self.axes[0] + len(self.axes)))

    @property
    def perm(self) -> tuple[int, ...]:
        """The order that puts the indexed axes first."""
        return (*self.axes, *(k for k in range(self.x.rank) if k not in self.axes))


def places(x: Value, indices: Sequence[Value | None]) -> Places:
    """What `indices`, one for each of the first axes or masks over several, select."""
    axes: list[int] = []
    where: list[Value] = []
    axis = 0
    for one in indices:
        if one is None:
            axis += 1
        elif one.precision in MASKS:
            if one.rank == 0:  # one more axis, of size 1 or 0
                x = shape.unsqueeze(x, [axis])
                one = shape.reshape(one, [1])
            rows = index.non_zero(one)
            found = shape.unstack(rows, axis=0, num=one.rank)
            where += found
            axes += range(axis, axis + one.rank)
            axis += one.rank
        else:
            axes.append(axis)
            where.append(one)
            axis += 1
    if axis > x.rank or not axes:
        raise BadType(f"{len(indices)} indices of {x.type}")
    return Places(x, tuple(axes), tuple(where))


def indexed(x: Value, indices: Sequence[Value | None]) -> Value:
    """The elements of `x` at `indices`."""
    if all(v is None for v in indices):
        return x
    found = places(x, indices)
    if len(found.axes) == 1:
        return index.gather(found.x, found.where[0], axis=found.axes[0])
    if found.is_adjacent and (shapes := _separate(found.where)):
        result = found.x
        axis = found.axes[0]
        for where, own in zip(found.where, shapes, strict=True):
            result = index.gather(result, build.reshape_to(where, _constant(where, own)), axis=axis)
            axis += len(own)
        return result
    front = permuted(found.x, found.perm)
    result = index.gather_nd(front, vectors(found.where))
    if not found.is_adjacent or found.axes[0] == 0:
        return result
    rank = result.rank - (found.x.rank - len(found.axes))
    before = found.axes[0]
    order = (*range(rank, rank + before), *range(rank), *range(rank + before, result.rank))
    return permuted(result, order)


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


def vectors(where: Sequence[Value]) -> Value:
    """Positions as vectors along a last axis, as GATHER_ND takes them."""
    known = [v.known for v in where if v.known is not None]
    if len(known) == len(where):
        arrays = np.broadcast_arrays(*known)
        return where[0].model.constant(np.stack(arrays, -1).astype(np.int64))
    whole = [_int64(v) for v in where]
    if len(whole) == 1:
        return shape.unsqueeze(whole[0], [whole[0].rank])
    made = whole[0].producer
    if made is not None and made.outputs == tuple(whole) and made.operator is shape.unstack:
        rows = made.inputs[0]  # of a mask: its positions are columns already
        if rows is not None and rows.rank == 2:
            return shape.transpose(rows, perm=(1, 0))
    size = common_sizes(*whole)
    return shape.stack(*(expanded(v, size) for v in whole), axis=-1)


def _int64(x: Value) -> Value:
    return x if x.precision == Precision.INT64 else unary.cast(x, dtype=Precision.INT64)


def placed(x: Value, indices: Sequence[Value | None], values: Value, reduction: str) -> Value:
    """A copy of `x` with `values` at `indices`, or combined with what is there."""
    found = places(x, indices)
    front = permuted(found.x, found.perm)
    where = vectors(found.where)
    count = where.rank - 1
    rest = found.x.rank - len(found.axes)
    before = found.axes[0] if found.is_adjacent else 0
    updates = _spread(values, front, where, count, before, rest)
    result = index.scatter_nd(front, where, updates, reduction=reduction)
    back = permuted(result, tuple(int(k) for k in np.argsort(found.perm)))
    return back if found.x is x else shape.squeeze(back, [found.axes[0]])


def _spread(values: Value, front: Value, where: Value, count: int, before: int, rest: int) -> Value:
    """Values broadcast to what indexing gives, with the axes of the positions first."""
    head = _sizes(where)[:count]
    tail = _sizes(front)[front.rank - rest :]
    wanted = [*tail[:before], *head, *tail[before:]]
    x = values
    if x.rank > len(wanted):
        x = build.reshape_to(x, _vector(x, _sizes(x)[x.rank - len(wanted) :]))
    dims = [*front.shape[front.rank - rest :][:before], *where.shape[:count]]
    dims += front.shape[front.rank - rest :][before:]
    if x.shape != tuple(dims):
        x = expanded(x, _vector(front, wanted))
    order = (*range(before, before + count), *range(before), *range(before + count, len(wanted)))
    return permuted(x, order)


def _sizes(x: Value) -> list[int | Value]:
    return list(build.sizes_of(x))


def _vector(x: Value, parts: Sequence[int | Value]) -> Value:
    return build.vector(x.model, parts)
