"""Between which numbers the elements of a value lie, as its producers say."""

from __future__ import annotations

import math

import numpy as np

from .model import Operation, Value
from .ops import activation, binary, index, shape, unary

Interval = tuple[int, int]

DEEPEST = 8
"""So many operations are looked behind."""

KEEPS = frozenset(
    {
        *(shape.reshape, shape.transpose, shape.unsqueeze, shape.squeeze, shape.expand),
        *(shape.split, shape.flatten, index.slice_),
        *(unary.cast, unary.round_, unary.floor, unary.ceil),
    }
)
"""Operators that give elements of their first operand, or whole numbers beside them."""

SUMS = frozenset({binary.add, binary.sub})

EXACT = 1 << 24
"""Up to this every integer is a float32."""

NARROW = 2
"""Integers of so many bytes say enough by their type."""


SINGLE = 4
"""Floats of fewer bytes round whole numbers."""


def interval_of(value: Value, depth: int = DEEPEST) -> Interval | None:
    """Whole numbers between which all elements of a value lie but NaN; None where that is not
    known."""
    held = value.constant
    if held is not None:
        return _ends(held)
    if value.is_integer and value.dtype.itemsize <= NARROW:
        kind = np.iinfo(value.dtype)
        return int(kind.min), int(kind.max)
    is_rounded = value.is_float and value.dtype.itemsize < SINGLE
    if value.producer is None or is_rounded or not depth:
        return None
    found = _interval_of(value.producer, depth - 1)
    if found is None or not value.is_integer:
        return found
    kind = np.iinfo(value.dtype)  # beyond it integers wrap
    return found if kind.min <= found[0] and found[1] <= kind.max else None


def count_exact(x: Value, y: Value) -> int:
    """How many products of two values float32 adds up exactly; 0 where that is not known."""
    first, second = interval_of(x), interval_of(y)
    if first is None or second is None:
        return 0
    most = max(abs(a * b) for a in first for b in second)
    return EXACT // max(most, 1)


def _interval_of(made: Operation, depth: int) -> Interval | None:
    x, *others = made.inputs
    if x is None:
        return None
    if made.operator in KEEPS:
        return interval_of(x, depth)
    if made.operator is activation.clip:
        low, high = (None if v is None else interval_of(v, 0) for v in others)
        return None if low is None or high is None else (low[0], high[1])
    if made.operator not in SUMS or others[0] is None:
        return None
    first, second = interval_of(x, depth), interval_of(others[0], depth)
    if first is None or second is None:
        return None
    if made.operator is binary.add:
        return first[0] + second[0], first[1] + second[1]
    return first[0] - second[1], first[1] - second[0]


def _ends(held: np.ndarray) -> Interval | None:
    """Whole numbers around those of an array; None where one is not finite."""
    if not held.size or held.dtype.kind not in "iuf" or not np.isfinite(held).all():
        return None
    return math.floor(held.min()), math.ceil(held.max())
