"""Sizes that are known now or only while running, and shapes made of them.

A `Size` is an int, or an int64 tensor of one element that operators compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ..dim import Expr
from ..model import Model, Value
from ..operator import Operator
from ..types import Precision
from . import binary, shape
from .index import gather

Size: TypeAlias = int | Value


def size_of(input: Value, axis: int) -> Size:
    """The size of one axis."""
    dim = input.shape[axis]
    if not isinstance(dim, Expr):
        return int(dim)
    return gather(shape.shape(input, dtype=Precision.INT64), [axis % input.rank], axis=0)


def sizes_of(input: Value) -> list[Size]:
    """The sizes of all axes."""
    return [size_of(input, axis) for axis in range(input.rank)]


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
    """The quotient; neither may be negative."""
    return a // b if isinstance(a, int) and isinstance(b, int) else _apply(binary.div, a, b)


def _apply(operator: Operator, a: Size, b: Size) -> Value:
    model = next(v.model for v in (a, b) if isinstance(v, Value))
    left, right = (v if isinstance(v, Value) else vector(model, [v]) for v in (a, b))
    return operator(left, right)


def product(parts: Sequence[Size]) -> Size:
    """All of them multiplied."""
    total: Size = 1
    for part in parts:
        total = times(total, part)
    return total


def vector(model: Model, parts: Sequence[Size]) -> Value:
    """An int64 vector of sizes; a constant where all are ints.

    What is not known of a size gets a name, so that the others keep what is known of them.
    """
    for part in parts:
        if isinstance(part, Value) and part.content is None:
            part.content = np.array([model.fresh()], object)
    if not parts or all(isinstance(p, int) for p in parts):
        return model.constant(list(parts), "int64")
    whole = [p if isinstance(p, Value) else model.constant([p], "int64") for p in parts]
    return shape.concat(*whole, axis=0) if len(whole) > 1 else whole[0]


def reshape(input: Value, parts: Sequence[Size]) -> Value:
    """`input` in a shape made of sizes; a size of 0 is one."""
    plain = all(isinstance(p, int) and p != 0 for p in parts)
    operator = shape.reshape if plain else shape.reshape_exact
    return operator(input, vector(input.model, parts))
