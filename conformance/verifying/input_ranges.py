"""Which numbers make sense for integer inputs: positions in tables, pixels, quantised values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.model import Operation, Value
from nnir.ops import index, quant, shape, unary

INTEGERS: Callable[[Any], Any] = ml_dtypes.iinfo
MOVES = frozenset(
    {
        *(shape.reshape, shape.reshape_exact, shape.squeeze, shape.unsqueeze, shape.transpose),
        *(shape.expand, shape.flatten, shape.split, shape.tile, shape.unstack, index.slice_),
        *(index.gather, index.gather_elements, index.gather_nd),
        unary.cast,
    }
)
"""Operators that hand on elements of their first operand as they are."""

JOINS = frozenset({shape.concat, shape.stack})
"""Operators that hand on elements of all their operands."""

ALONG_AN_AXIS = frozenset({index.gather, index.gather_elements, index.scatter_elements})
"""Operators whose second operand holds positions along the axis `axis` of the first one."""

ALONG_THE_FIRST = frozenset({index.gather_nd, index.scatter_nd})
"""Operators whose second operand holds positions along its first axes."""

DEFAULT = (0, 9)
PIXELS = (0, 255)
"""What integers that become real numbers are taken for, where their type has more."""


def range_of(value: Value) -> tuple[int, int]:
    """The least and the greatest number for an integer input.

    Positions lie in the smallest table that they are read from; what is quantised, or has 8 bits
    and becomes a real number, takes the whole range of its type; everything else 0 to 9.
    """
    low, high = limits_of(value)
    sizes = []
    found = DEFAULT
    for user, moved in _readers(value):
        if (found_sizes := _table_sizes(user, moved)) is not None:
            sizes += found_sizes
        elif user.operator in (quant.dequantize_linear, quant.dequantize):
            found = (low, high) if value.dtype.itemsize <= 2 else PIXELS
        elif user.operator is unary.cast and user.outputs[0].is_float:
            found = max(found, (low, high) if value.dtype.itemsize == 1 else PIXELS, key=np.ptp)
    if sizes:
        return 0, min(*sizes, high + 1) - 1
    return max(found[0], low), min(found[1], high)


def _table_sizes(user: Operation, positions: Value) -> list[int] | None:
    """The sizes of the axes that positions are for; None where they are no positions."""
    table = user.inputs[0]
    if table is None or len(user.inputs) < 2 or user.inputs[1] is not positions:
        return None
    if user.operator in ALONG_AN_AXIS:
        sizes = table.shape[user.attributes["axis"] :][:1]
    elif user.operator in ALONG_THE_FIRST:
        start = user.attributes.get("batch_dims", 0)
        depth = positions.shape[-1]
        sizes = table.shape[start : start + depth] if isinstance(depth, int) else ()
    else:
        return None
    return [size for size in sizes if isinstance(size, int) and size]


def limits_of(value: Value) -> tuple[int, int]:
    """The range of an integer precision."""
    about: Any = INTEGERS(value.dtype)
    return int(about.min), int(about.max)


def _readers(value: Value) -> Iterator[tuple[Operation, Value]]:
    """The operations that read a value, moved or not, and what they read of it."""
    seen, waiting = {value}, [value]
    while waiting:
        moved = waiting.pop()
        for user in moved.uses:
            yield user, moved
            if user.operator in JOINS or (user.operator in MOVES and user.inputs[0] is moved):
                new = [v for v in user.outputs if v not in seen and v.is_integer]
                seen.update(new)
                waiting += new
