"""Shapes: NumPy broadcasting, axes and sizes over dimensions that may be symbolic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .budget import numbers_of
from .dim import Dim, Expr, differ, maximum
from .errors import BadType, NotConstant
from .types import Row

if TYPE_CHECKING:
    from .model import Value

Shape = tuple[Dim, ...]
LONGEST = 1 << 16


def shapes_differ(a: Sequence[Dim], b: Sequence[Dim]) -> bool:
    """Whether shapes are known to be different."""
    return len(a) != len(b) or any(map(differ, a, b))


def broadcast(*shapes: Shape) -> Shape:
    """The NumPy broadcast of the shapes; BadType when they do not fit.

    A symbol against an int above 1 is taken to be that int (or 1), two different symbols give
    their maximum.
    """
    first = shapes[0]
    for other in shapes:  # as nearly always: the same, or the same last axes
        if other is not first and tuple(first)[len(first) - len(other) :] != other:
            break
    else:
        return first
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    return tuple(_broadcast_dim(dims, shapes) for dims in zip(*padded, strict=True))


def _broadcast_dim(dims: tuple[Dim, ...], shapes: Sequence[Shape]) -> Dim:
    result: Dim = 1
    for d in dims:
        if isinstance(result, int) and result == 1:
            result = d
        elif result != d and d != 1:
            if isinstance(result, int) and isinstance(d, int):
                raise BadType(f"shapes {', '.join(map(text, shapes))} do not broadcast")
            if isinstance(result, Expr) and isinstance(d, Expr):
                result = result if maximum(result, 0) == d else maximum(result, d)
            elif isinstance(d, int):
                result = d
    return result


def axis_of(axis: int, rank: int, *, extra: int = 0) -> int:
    """A non-negative axis; BadType outside [-rank, rank), where `extra` axes are added to rank."""
    total = rank + extra
    if not -total <= axis < total:
        raise BadType(f"axis {axis} is outside [{-total}, {total})")
    return axis + total if axis < 0 else axis


def axes_of(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Non-negative, distinct axes; BadType otherwise."""
    result = tuple(axis_of(int(a), rank) for a in axes)
    if len(set(result)) != len(result):
        raise BadType(f"axes {tuple(map(int, axes))} name an axis twice")
    return result


def contents(value: Value | None) -> tuple[Dim, ...] | None:
    """The elements of an integer tensor, flattened; None when only known while running."""
    if value is None or value.content is None:
        return None
    return Row(d if isinstance(d, Expr) else int(d) for d in value.content.flat)


def ints(value: Value | None) -> tuple[int, ...] | None:
    """The elements of an integer tensor when all of them are plain ints, else None."""
    if value is None:
        return None
    if value.constant is not None and not value.is_integer:
        raise BadType(f"a tensor of integers is needed, not {value.type}")
    known = value.known
    return None if known is None else Row(map(int, numbers_of(np.asarray(known))))


def length_of(value: Value) -> int:
    """The number of elements of a 1-D (or rank-0) operand such as axes.

    BadType for a higher rank, NotConstant when the length is only known while running.
    """
    shape = value.shape
    if len(shape) > 1:
        raise BadType(f"{value.name or 'an operand'} must have rank 1, not {value.type}")
    length = shape[0] if shape else 1
    if isinstance(length, Expr):
        raise NotConstant(f"the length of {value.name or 'an operand'} {value.type} is not known")
    if length > LONGEST:
        raise BadType(f"{value.type}: more than {LONGEST} positions or sizes")
    return length


def text(shape: Shape) -> str:
    """A shape as messages show it."""
    return f"[{', '.join(map(str, shape))}]"
