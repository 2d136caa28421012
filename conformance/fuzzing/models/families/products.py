"""Products of matrices, dense layers, and attention of several shapes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation, binary, linear, shape

from ..growth import Growth

MOST_UNITS = 10


def last_size(value: Value) -> int:
    """The size of the last axis, which must be known."""
    size = value.shape[-1] if value.rank else 0
    if not isinstance(size, int) or not size:
        raise BadType(f"{value.type}, whose last size is not known")
    return size


def product_with_constant(g: Growth) -> Iterator[Value]:
    """A product with a constant matrix, transposed by a flag, an operation or not at all."""
    x = g.pick_float(2, 3, 4)
    inner, units = last_size(x), g.between(1, MOST_UNITS)
    lead = []
    if x.rank > 2 and isinstance(x.shape[-3], int) and g.chance(0.2):
        lead = [x.shape[-3]]
    flag, moved = g.chance(0.4), g.chance(0.3)
    sizes = [units, inner] if flag != moved else [inner, units]
    y = g.weights(*lead, *sizes, inner=inner)
    if moved:
        last = len(lead)
        y = g.apply(shape.transpose, y, perm=(*range(last), last + 1, last))
    result = g.apply(linear.mat_mul, x, y, transpose_y=flag)
    yield result
    if g.chance(0.4):
        yield g.apply(binary.add, result, g.weights(units))


def product_from_the_left(g: Growth) -> Iterator[Value]:
    """A constant matrix by a value."""
    x = g.pick_float(2, 3, 4)
    rows = x.shape[-2]
    if not isinstance(rows, int):
        raise BadType("rows of an open number")
    units = g.between(1, MOST_UNITS)
    flag = g.chance(0.4)
    y = g.weights(*((rows, units) if flag else (units, rows)), inner=rows)
    yield g.apply(linear.mat_mul, y, x, transpose_x=flag)


def product_of_values(g: Growth) -> Iterator[Value]:
    """A value by itself, or by another one, with transpositions before."""
    x = g.pick_float(2, 3, 4)
    inner = last_size(x)
    x = g.apply(binary.mul, x, float(np.float32(1 / np.sqrt(inner))))
    other = g.pick(lambda v: v.is_float and v.rank in (2, 3, 4) and v.shape[-1] == x.shape[-1])
    if g.chance(0.5):
        yield g.apply(linear.mat_mul, x, other, transpose_y=True)
        return
    axes = list(range(other.rank))
    axes[-2:] = [axes[-1], axes[-2]]
    yield g.apply(linear.mat_mul, x, g.apply(shape.transpose, other, perm=tuple(axes)))


def product_with_vector(g: Growth) -> Iterator[Value]:
    """A product with a vector, which takes an axis away."""
    x = g.pick_float(2, 3, 4)
    inner = last_size(x)
    yield g.apply(linear.mat_mul, x, g.weights(inner, inner=inner))


def dense(g: Growth) -> Iterator[Value]:
    """A dense layer, with an activation or not."""
    x = g.pick_float(2, 3)
    inner, units = last_size(x), g.between(1, MOST_UNITS)
    result = g.apply(
        linear.fully_connected, x, g.weights(units, inner, inner=inner), g.weights(units)
    )
    yield result
    if g.chance(0.5):
        yield g.apply(g.choose((activation.relu, activation.tanh, activation.sigmoid)), result)


def einstein_sum(g: Growth) -> Iterator[Value]:
    """A contraction by an equation."""
    x = g.pick_float(3)
    inner = last_size(x)
    match g.between(0, 2):
        case 0:
            yield g.apply(
                linear.einsum, x, g.weights(inner, 3, inner=inner), equation="btd,df->btf"
            )
        case 1:
            scaled = g.apply(binary.mul, x, 1 / np.float32(np.sqrt(inner)))
            yield g.apply(linear.einsum, scaled, x, equation="btd,bsd->bts")
        case _:
            weights = g.weights(2, inner, 2, inner=inner)
            yield g.apply(linear.einsum, x, weights, equation="btd,hdf->bhtf")


def attention(g: Growth) -> Iterator[Value]:
    """An attention of a sequence: one head or several, also as many as rows."""
    x = g.pick_float(3)
    inner = last_size(x)
    rows = g.array(x).shape[1]
    heads = g.choose((1, 2, rows)) if rows <= 6 else g.choose((1, 2))
    size = g.choose((1, 2, 4, 8))
    query, key, value = _projections(g, x, inner, heads, size)
    match g.between(0, 2):
        case 1:
            query = g.apply(binary.mul, query, float(np.float32(size**-0.5)))
        case 2:
            root = float(np.float32(size**-0.25))
            query, key = (g.apply(binary.mul, each, root) for each in (query, key))
    if g.chance(0.5):
        scores = g.apply(linear.mat_mul, query, key, transpose_y=True)
    else:
        scores = g.apply(linear.mat_mul, query, _exchange(g, key, heads))
    if g.chance(0.4):
        scores = g.apply(binary.div, scores, float(np.float32(size**0.5)))
    if g.chance(0.3) and isinstance(x.shape[1], int):
        scores = g.apply(binary.add, scores, g.constant(np.triu(np.full((rows, rows), -50.0), 1)))
    weights = g.apply(activation.softmax, scores, axis=g.choose((-1, 3)))
    mixed = g.apply(linear.mat_mul, weights, value)
    if g.chance(0.2):
        yield mixed
        return
    joined = g.apply(shape.transpose, mixed, perm=(0, 2, 1, 3))
    result = g.apply(shape.reshape, joined, [0, 0, heads * size])
    yield result
    if g.chance(0.5):
        last = g.apply(linear.mat_mul, result, g.weights(heads * size, inner, inner=heads * size))
        yield g.apply(binary.add, last, x) if g.chance(0.5) else last


def _exchange(g: Growth, key: Value, heads: int) -> Value:
    """Keys with their last axes exchanged, at once or with one axis for samples and heads."""
    rows, size = key.shape[2:]
    if not isinstance(rows, int) or not isinstance(size, int) or g.chance(0.5):
        return g.apply(shape.transpose, key, perm=(0, 1, 3, 2))
    merged = g.apply(shape.reshape, key, [-1, rows, size])
    moved = g.apply(shape.transpose, merged, perm=(0, 2, 1))
    return g.apply(shape.reshape, moved, [-1, heads, size, rows])


def _projections(
    g: Growth, x: Value, inner: int, heads: int, size: int
) -> tuple[Value, Value, Value]:
    """Query, key and value [N, heads, T, size]: of a matrix each, or cut out of one product."""
    width = heads * size
    if g.chance(0.3):
        stacked = g.apply(linear.mat_mul, x, g.weights(inner, 3 * width, inner=inner))
        parts = g.apply_all(shape.split, stacked, [width] * 3, axis=g.choose((2, -1)))
    else:
        parts = tuple(
            g.apply(linear.mat_mul, x, g.weights(inner, width, inner=inner)) for _ in range(3)
        )
    first, second, third = (_heads(g, part, heads, size) for part in parts)
    return first, second, third


def _heads(g: Growth, part: Value, heads: int, size: int) -> Value:
    apart = g.apply(shape.reshape, part, [0, 0, heads, size])
    return g.apply(shape.transpose, apart, perm=(0, 2, 1, 3))
