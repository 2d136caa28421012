"""Other shapes and orders of elements: reshapes, transpositions, parts and joins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import index, shape
from nnir.types import Precision

from ..growth import Growth


def known_size(value: Value, axis: int) -> int:
    """The size of an axis, which must be known."""
    size = value.shape[axis]
    if not isinstance(size, int):
        raise BadType(f"{value.type}, whose axis {axis} is open")
    return size


def transposition(g: Growth) -> Iterator[Value]:
    """Axes in another order."""
    x = g.pick(lambda v: v.rank in (2, 3, 4))
    if x.rank == 4 and g.chance(0.5):
        perm = g.choose(((0, 2, 3, 1), (0, 3, 1, 2), (0, 2, 1, 3)))
    else:
        perm = tuple(int(a) for a in g.generator.permutation(x.rank))
    yield g.apply(shape.transpose, x, perm=perm)


def reshaping(g: Growth) -> Iterator[Value]:
    """Axes merged, taken apart, or named by the sizes of another value."""
    x = g.pick(lambda v: v.rank in (2, 3, 4))
    match g.between(0, 4):
        case 0:
            first = g.between(0, x.rank - 2)
            yield g.apply(
                shape.flatten, x, start_axis=first, end_axis=g.between(first + 1, x.rank - 1)
            )
        case 1:
            axis = g.between(0, x.rank - 1)
            size = known_size(x, axis)
            parts = g.choose([n for n in range(1, size + 1) if size % n == 0] or [1])
            target: list[int] = [0] * axis + [parts, size // parts]
            if x.rank - axis - 1:
                rest = [known_size(x, k) for k in range(axis + 1, x.rank)]
                target += rest
            yield g.apply(shape.reshape, x, target)
        case 2:
            yield g.apply(shape.reshape, x, [0, -1] if g.chance(0.7) else [-1])
        case 3:
            yield _reshape_by_sizes(g, x)
        case _:
            yield _shuffle(g, x)


def _reshape_by_sizes(g: Growth, x: Value) -> Value:
    """A shape that is made of sizes while running, as exporters write them."""
    sizes = g.apply(shape.shape, x, dtype=Precision.INT64)
    first = g.apply(index.gather, sizes, g.constant([0], np.int64), axis=0)
    target = g.apply(shape.concat, first, g.constant([-1], np.int64), axis=0)
    return g.apply(shape.reshape, x, target)


def _shuffle(g: Growth, x: Value) -> Value:
    """Channels in another order, by a transposition between two reshapes."""
    axis = 1
    size = known_size(x, axis)
    parts = g.choose([n for n in range(1, size + 1) if size % n == 0])
    rest = [known_size(x, k) for k in range(2, x.rank)]
    apart = g.apply(shape.reshape, x, [0, parts, size // parts, *rest])
    moved = g.apply(shape.transpose, apart, perm=(0, 2, 1, *range(3, x.rank + 1)))
    return g.apply(shape.reshape, moved, [0, size, *rest])


def axes_of_one(g: Growth) -> Iterator[Value]:
    """An axis of size 1 more or less."""
    x = g.pick(lambda v: v.rank < 5)
    ones = [k for k, d in enumerate(x.shape) if d == 1]
    if ones and g.chance(0.6):
        yield g.apply(shape.squeeze, x, [g.choose(ones)])
    elif x.rank < 4:
        yield g.apply(shape.unsqueeze, x, [g.between(0, x.rank)])


def joining(g: Growth) -> Iterator[Value]:
    """Values joined along an axis, also one with itself."""
    x = g.pick(lambda v: v.rank in (1, 2, 3, 4) and v.precision != Precision.BOOL8)
    same = [v for v in g.readable if v.shape == x.shape and v.precision == x.precision]
    others = [g.choose(same) for _ in range(g.between(1, 2))]
    if g.chance(0.2) and x.rank < 4:
        yield g.apply(shape.stack, x, *others, axis=g.between(0, x.rank))
    else:
        yield g.apply(shape.concat, x, *others, axis=g.axis(x))


def cutting(g: Growth) -> Iterator[Value]:
    """Parts of a value, of which some may be left."""
    x = g.pick(lambda v: v.rank in (1, 2, 3, 4))
    axis = g.axis(x)
    size = known_size(x, axis)
    if size < 2:
        raise BadType("nothing to cut")
    if g.chance(0.2):
        yield from g.apply_all(shape.unstack, x, axis=axis, num=size)
        return
    if size % 2 == 0 and g.chance(0.5):
        lengths = [size // 2] * 2
    else:
        first = g.between(1, size - 1)
        lengths = [first, size - first]
    yield from g.apply_all(shape.split, x, lengths, axis=axis)


def slicing(g: Growth) -> Iterator[Value]:
    """A part of a value, in steps, also backwards."""
    x = g.pick(lambda v: v.rank in (1, 2, 3, 4))
    axis = g.between(0, x.rank - 1)
    size = g.array(x).shape[axis]
    if size < 1:
        raise BadType("nothing to cut")
    bounds: list[Any]
    if g.chance(0.25):
        bounds = [-1, -(2**31) if g.chance(0.5) else -size - 1, -1]
    else:
        start = g.between(0, size - 1)
        stop = g.choose((2**31 - 1, size, g.between(start + 1, size)))
        bounds = [start - size if g.chance(0.3) else start, stop, g.choose((1, 1, 2))]
    yield g.apply(index.slice_, x, [axis], *([b] for b in bounds))


def repeating(g: Growth) -> Iterator[Value]:
    """Elements repeated."""
    x = g.pick(lambda v: v.rank in (1, 2, 3, 4) and v.precision != Precision.BOOL8)
    if g.chance(0.5):
        yield g.apply(shape.tile, x, [g.choose((1, 1, 2)) for _ in range(x.rank)])
        return
    sizes = [g.between(1, 4) if d == 1 else -1 for d in x.shape]
    lead = [g.between(1, 2)] if g.chance(0.3) and x.rank < 4 else []
    yield g.apply(shape.expand, x, [*lead, *sizes])


def picking(g: Growth) -> Iterator[Value]:
    """Entries of an axis by constant positions."""
    x = g.pick(lambda v: v.rank in (1, 2, 3, 4))
    axis = g.between(0, x.rank - 1)
    size = known_size(x, axis)
    if not size:
        raise BadType("nothing to take")
    if g.chance(0.3):
        positions = np.array(g.between(0, size - 1))
    else:
        positions = g.generator.integers(0, size, g.between(1, 4))
    if g.chance(0.2):
        positions = positions - size
    yield g.apply(index.gather, x, g.constant(positions, np.int64), axis=axis)


def rolling(g: Growth) -> Iterator[Value]:
    """Elements moved around the end of an axis."""
    x = g.pick_float(1, 2, 3, 4)
    yield g.apply(index.roll, x, [g.between(-3, 3)], [g.axis(x)])


def reading_by_values(g: Growth) -> Iterator[Value]:
    """Rows of a constant table, by integers that the model computes."""
    x = g.pick(lambda v: v.precision in (Precision.INT32, Precision.INT64) and 0 < v.rank < 3)
    array = g.array(x)
    if array.min(initial=0) < 0 or array.max(initial=0) > 15:
        raise BadType("no positions")
    yield g.apply(index.gather, g.weights(16, g.between(1, 4)), x, axis=0)
