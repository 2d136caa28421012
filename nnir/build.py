"""Sizes, shapes and positions: constants where known, else computed by the graph.

A `Size` is an int, or an int64 tensor of one element that operators compute. Frontends, recipes and
decompositions build shapes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from .broadcast import contents
from .dim import Expr
from .errors import NotConstant, Unsupported
from .model import Index, Model, Value
from .operator import Operator
from .ops import binary, generate, index, shape, unary
from .types import Precision

Size: TypeAlias = int | Value

END = np.iinfo(np.int64).max
FRONT = np.iinfo(np.int64).min + 1
"""Bounds of slices that go on to the end, or backwards to the first element."""

LARGEST_CONSTANT = 2**26
"""So many elements a constant may have that a converter makes."""


def size_of(input: Value, axis: int) -> Size:
    """The size of one axis."""
    dim = input.shape[axis]
    if not isinstance(dim, Expr):
        return int(dim)
    sizes = shape.shape(input, dtype=Precision.INT64)
    return index.gather(sizes, [axis % input.rank], axis=0)


def sizes_of(input: Value) -> list[Size]:
    """The sizes of all axes."""
    return [size_of(input, axis) for axis in range(input.rank)]


def known_sizes(x: Value, axes: Sequence[int]) -> list[int]:
    """The sizes of axes that must be known while converting; NotConstant where one is not."""
    sizes = [x.shape[a] for a in axes]
    if any(isinstance(d, Expr) for d in sizes):
        raise NotConstant(
            f"{x.type}, of which the axes {list(axes)} must be known: fix them with --dim NAME=SIZE"
        )
    return [int(d) for d in sizes]  # type: ignore[arg-type]


def shape_of(x: Value) -> Value:
    """The shape as an int64 vector."""
    if x.is_static:
        return x.model.constant(np.array(x.shape, np.int64))
    return shape.shape(x, dtype=Precision.INT64)


def is_unknown(a: Size) -> bool:
    """Whether nothing is said of a size before a program runs, so that it may be negative."""
    return isinstance(a, Value) and contents(a) is None


def plus(a: Size, b: Size) -> Size:
    """The sum."""
    return a + b if isinstance(a, int) and isinstance(b, int) else _apply(binary.add, a, b)


def minus(a: Size, b: Size) -> Size:
    """The difference."""
    return a - b if isinstance(a, int) and isinstance(b, int) else _apply(binary.sub, a, b)


def times(a: Size, b: Size) -> Size:
    """The product."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if 1 in (a if isinstance(a, int) else 0, b if isinstance(b, int) else 0):
        return b if isinstance(a, int) else a
    return _apply(binary.mul, a, b)


def over(a: Size, b: Size) -> Size:
    """The quotient rounded down; neither may be negative."""
    return a // b if isinstance(a, int) and isinstance(b, int) else _apply(binary.div, a, b)


def _apply(operator: Operator[Value], a: Size, b: Size) -> Value:
    model = next(v.model for v in (a, b) if isinstance(v, Value))
    left, right = (v if isinstance(v, Value) else vector(model, [v]) for v in (a, b))
    return operator(left, right)


def product(parts: Sequence[Size]) -> Size:
    """All of them multiplied; 1 where there is none."""
    total: Size = 1
    for part in parts:
        total = times(total, part)
    return total


def vector(model: Model, parts: Sequence[Size], *, negative: bool = False) -> Value:
    """An int64 vector of sizes; a constant where all are ints.

    A size that is not known gets a name, so that the others keep what is known of them; `negative`
    says that they are bounds or steps, which may be below zero and get none.
    """
    for part in parts:
        if isinstance(part, Value) and part.content is None and not negative:
            part.content = np.full([1] * part.rank, model.fresh(), object)
    if all(isinstance(p, int) for p in parts):
        return model.constant(np.array(parts, np.int64))
    pieces = [_as_vector(model, p) for p in parts]
    return pieces[0] if len(pieces) == 1 else shape.concat(*pieces, axis=0)


def _as_vector(model: Model, part: Size) -> Value:
    if isinstance(part, int):
        return model.constant([part], "int64")
    return part if part.rank else shape.reshape(part, [1])


def elements(x: Value) -> list[Size]:
    """The elements of an integer vector: ints where known, else int64 tensors of one element."""
    count = 1 if not x.rank else x.shape[0]
    if isinstance(count, Expr):
        raise NotConstant(f"a vector {x.type} of sizes whose number is only known while running")
    known = contents(x)
    producer = x.producer
    if known is None and producer is not None and producer.operator is shape.stack:
        parts = [v for v in producer.inputs if v is not None]
        return [element for part in parts for element in elements(part)]
    all_known = known is not None and not any(isinstance(d, Expr) for d in known)
    wide = None if all_known else int64(x)
    result: list[Size] = []
    for k in range(count):
        if known is not None and not isinstance(known[k], Expr):
            result.append(int(known[k]))  # type: ignore[arg-type]
        elif wide is not None and count == 1:
            result.append(_as_vector(x.model, wide))
        else:
            result.append(index.slice_(wide, [0], [k], [k + 1]))
    return result


def int64(x: Value) -> Value:
    """Sizes or positions as int64; a constant where they are known."""
    if x.precision == Precision.INT64:
        return x
    if x.known is not None:
        return x.model.constant(x.known.astype(np.int64))
    return unary.cast(x, dtype=Precision.INT64)


def arange(count: int) -> np.ndarray:
    """0, 1, ... count - 1 for a constant of the model; Unsupported where it fills the memory."""
    if count > LARGEST_CONSTANT:
        raise Unsupported(f"{count} positions as a constant of the model")
    return np.arange(max(count, 0))


def arange_along(
    x: Value, axis: int, precision: Precision = Precision.INT64, *, aligned: bool = False
) -> Value:
    """The positions 0, 1, ... along one axis of `x`, as a vector.

    `aligned`: with axes of size 1 behind it, so that it broadcasts beside `x`.
    """
    size = x.shape[axis]
    if isinstance(size, Expr):
        end = vector(x.model, [size_of(x, axis)])
        positions = generate.range_([0], end, [1]).cast(precision)
    else:
        positions = x.model.constant(arange(size).astype(precision.dtype))
    behind = x.rank - 1 - axis % x.rank if aligned else 0
    return shape.unsqueeze(positions, list(range(1, behind + 1))) if behind else positions


def reshape(input: Value, parts: Sequence[Size]) -> Value:
    """`input` in a shape made of sizes; a size of 0 is one."""
    plain = all(isinstance(p, int) and p != 0 for p in parts)
    operator = shape.reshape if plain else shape.reshape_exact
    return operator(input, vector(input.model, parts))


def reshape_to(x: Value, size: Index) -> Value:
    """`x` in the shape that a vector holds; unlike RESHAPE's, a size of 0 is 0."""
    target = contents(size)
    if target is not None and all(isinstance(d, Expr) or d != 0 for d in target):
        return x if target == x.shape else shape.reshape(x, size)
    return shape.reshape_exact(x, size)


def flatten(x: Value) -> Value:
    """All elements as a vector."""
    return x if x.rank == 1 else shape.flatten(x, start_axis=0, end_axis=-1)
