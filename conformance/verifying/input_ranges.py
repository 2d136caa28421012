"""Which numbers make sense for integer inputs: positions, lengths, pixels, quantised values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from nnir.dim import Dim, evaluate
from nnir.model import Operation, Value
from nnir.ops import index, quant, shape, sort, unary

INTEGERS: Callable[[Any], Any] = ml_dtypes.iinfo
MOVES = frozenset(
    {
        *(shape.reshape, shape.reshape_exact, shape.squeeze, shape.unsqueeze, shape.transpose),
        *(shape.expand, shape.flatten, shape.split, shape.tile, shape.unstack, index.slice_),
        *(index.gather, index.gather_elements, index.gather_nd),
        *(unary.cast, sort.top_k),
    }
)
"""Operators that hand on elements of their first operand as they are; TOP_K in its first result."""

JOINS = frozenset({shape.concat, shape.stack})
"""Operators that hand on elements of all their operands."""

ALONG_AN_AXIS = frozenset({index.gather, index.gather_elements, index.scatter_elements})
"""Operators whose second operand holds positions along the axis `axis` of the first one."""

ALONG_THE_FIRST = frozenset({index.gather_nd, index.scatter_nd})
"""Operators whose second operand holds positions along its first axes."""

LENGTHS = frozenset({"sequence_lens", "lengths"})
"""Operands that say how many steps of each sequence count: along the first axis, or `time_axis`."""

DEFAULT = (0, 9)
PIXELS = (0, 255)
"""What integers that become real numbers are taken for, where their type has more."""


def range_of(value: Value, sizes: Mapping[str, int] | None = None) -> tuple[int, int]:
    """The least and the greatest number for an integer input, where named dimensions have `sizes`.

    Positions lie in the smallest table that they are read from; how many steps of sequences count
    is 1 to the number of them; what is quantised, or has 8 bits and becomes a real number, takes
    the whole range of its type; everything else 0 to 9.
    """
    low, high = limits_of(value)
    tables: list[int] = []
    steps: list[int] = []
    found = DEFAULT
    for user, moved in _readers(value):
        if (ends := _table_sizes(user, moved)) is not None:
            tables += _find_numbers(ends, sizes or {})
        elif (count := _steps(user, moved)) is not None:
            steps += _find_numbers([count], sizes or {})
        elif user.operator in (quant.dequantize_linear, quant.dequantize):
            found = (low, high) if value.dtype.itemsize <= 2 else PIXELS
        elif user.operator is unary.cast and user.outputs[0].is_float:
            found = max(found, (low, high) if value.dtype.itemsize == 1 else PIXELS, key=np.ptp)
    if steps:
        return 1, min(*steps, high)
    if tables:
        return 0, min(*tables, high + 1) - 1
    return max(found[0], low), min(found[1], high)


def _find_numbers(sizes: Sequence[Dim], given: Mapping[str, int]) -> list[int]:
    """Those sizes that are numbers, and not 0."""
    found = [evaluate(size, given) for size in sizes]
    return [size for size in found if isinstance(size, int) and size]


def _steps(user: Operation, lengths: Value) -> Dim | None:
    """How many steps the sequences have of which `lengths` says how many count; None where it says
    nothing of the kind."""
    sequences, places = user.inputs[0], user.operator.tensors
    name = next((n for n, v in zip(places, user.inputs, strict=False) if v is lengths), None)
    if sequences is None or name not in LENGTHS:
        return None
    return sequences.shape[user.attributes.get("time_axis", 0)]


def _table_sizes(user: Operation, positions: Value) -> Sequence[Dim] | None:
    """The sizes of the axes that positions are for; None where they are no positions."""
    table = user.inputs[0]
    if table is None or len(user.inputs) < 2 or user.inputs[1] is not positions:
        return None
    sizes: Sequence[Dim]
    if user.operator in ALONG_AN_AXIS:
        sizes = table.shape[user.attributes["axis"] :][:1]
    elif user.operator in ALONG_THE_FIRST:
        start = user.attributes.get("batch_dims", 0)
        depth = positions.shape[-1]
        sizes = table.shape[start : start + depth] if isinstance(depth, int) else ()
    else:
        return None
    return sizes


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
                results = user.outputs[:1] if user.operator is sort.top_k else user.outputs
                new = [v for v in results if v not in seen and v.is_integer]
                seen.update(new)
                waiting += new
