"""Paddle's assignment to a part of a tensor, as `x[1:3, ::2] = value` writes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import index, shape
from nnir.recipes.index import place_rows, slice_scatter

from ...table import Ints, Table
from .numbers import array_of_numbers

table = Table()
Bounds = tuple[int, build.Size, build.Size, int]
"""An axis, where the part of it begins, where it ends, and its step."""


@table.convert("set_value", "set_value_")
def set_value(
    x: Value,
    starts: Index,
    ends: Index,
    steps: Index,
    axes: Ints,
    decrease_axes: Ints,
    none_axes: Ints,
    shape: Ints,
    values: tuple[Any, ...],
) -> Value:
    array = array_of_numbers(values, x.precision)
    value = x.model.constant(array.reshape(shape) if array.size != 1 else array.reshape(()))
    return assign_region(
        x, value, bounds_of(x, axes, starts, ends, steps), decrease_axes, none_axes
    )


@table.convert("set_value_with_tensor", "set_value_with_tensor_")
def set_value_with_tensor(
    x: Value,
    values: Value,
    starts: Index,
    ends: Index,
    steps: Index,
    axes: Ints,
    decrease_axes: Ints,
    none_axes: Ints,
) -> Value:
    value = values.cast(x.precision)
    return assign_region(
        x, value, bounds_of(x, axes, starts, ends, steps), decrease_axes, none_axes
    )


def bounds_of(
    x: Value, axes: Sequence[int], starts: Value, ends: Value, steps: Value
) -> list[Bounds]:
    """The parts of axes; steps must be known."""
    if any(axis < 0 for axis in axes):
        raise Unsupported(f"set_value along {tuple(axes)}: Paddle counts no axes from the end")
    parts: list[Bounds] = []
    columns = [build.elements(v) for v in (starts, ends, steps)]
    for axis, first, last, by in zip(axes, *columns, strict=True):
        if not isinstance(by, int) or by == 0:
            raise NotConstant("set_value with steps that are only known while running")
        parts.append((axis_of(axis, x.rank), first, last, by))
    return parts


def assign_region(
    x: Value,
    value: Value,
    parts: Sequence[Bounds],
    dropped: Sequence[int],
    added: Sequence[int],
) -> Value:
    """`x` with a part replaced; the value lacks the axes `dropped` and has ones for `added`."""
    if len(added) > 1:
        raise Unsupported(f"set_value with none_axes={tuple(added)}")
    rank = x.rank - len(dropped) + len(added)
    if added and value.rank == rank:
        value = shape.squeeze(value, list(added))
    if value.rank > x.rank - len(dropped):
        extra = value.rank - (x.rank - len(dropped))
        if any(d != 1 for d in value.shape[:extra]):
            raise BadType(f"set_value of {x.type} with {value.type}")
        value = shape.squeeze(value, list(range(extra)))
    if dropped and value.rank:
        value = beside(value, x.rank, sorted(axis_of(a, x.rank) for a in dropped))
    return replace_region(x, value, parts)


def beside(value: Value, rank: int, dropped: Sequence[int]) -> Value:
    """A value with the axes that the part of rank `rank` has and it lacks, as ones."""
    missing = rank - len(dropped) - value.rank
    if missing:
        value = shape.unsqueeze(value, list(range(missing)))
    return shape.unsqueeze(value, list(dropped))


def replace_region(x: Value, value: Value, parts: Sequence[Bounds]) -> Value:
    """The first axis is cut, the rest of the part replaced, and put back where it was."""
    if not parts:
        own = build.vector(x.model, build.sizes_of(x))
        return value if value.shape == x.shape else shape.expand(value, own)
    (axis, first, last, by), *rest = parts
    if by < 0:
        return backwards(x, value, parts)
    begin, end = (vector(x, n) for n in (first, last))
    cut = index.slice_(x, [axis], begin, end, [by])
    return slice_scatter(x, replace_region(cut, value, rest), axis, begin, end, by)


def backwards(x: Value, value: Value, parts: Sequence[Bounds]) -> Value:
    """The same for a part that is read from behind."""
    (axis, first, last, by), *rest = parts
    size = x.shape[axis]
    if isinstance(size, Expr) or not isinstance(first, int) or not isinstance(last, int):
        raise NotConstant("set_value with a negative step of what is only known while running")
    places = np.arange(size)[first : last if last >= -size else None : by]
    cut = index.gather(x, x.model.constant(places), axis=axis)
    return place_rows(x, axis, x.model.constant(places), replace_region(cut, value, rest))


def vector(x: Value, number: build.Size) -> Value:
    """A size as a vector of one."""
    return build.vector(x.model, [number])
