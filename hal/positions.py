"""Positions that the caller of a model gives: those outside of a table are found beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from nnir.errors import DeviceError
from nnir.model import Model, Value

MOVING = frozenset(("EXPAND", "FLATTEN", "RESHAPE", "SQUEEZE", "TRANSPOSE", "UNSQUEEZE"))
"""Operators whose result has all elements of their first operand and no others, unless it is
empty."""

Bound = tuple[int, int]
"""An input of a model, and how many elements the axis has that its elements are positions on."""


def origin_of_elements(value: Value) -> Value:
    """The value whose elements a value of known sizes has, in whatever order."""
    while value.producer is not None and value.producer.operator.name in MOVING:
        moved = value.producer.inputs[0]
        if moved is None or not value.is_static or 0 in value.shape:
            break
        value = moved
    return value


def bounds_of(model: Model) -> Iterator[Bound]:
    """The inputs whose elements are positions in a table that is gathered from."""
    places: Mapping[Value, int] = {value: k for k, value in enumerate(model.inputs)}
    for operation in model.operations:
        if operation.operator.name in ("GATHER", "GATHER_ELEMENTS"):
            table, at = operation.inputs[:2]
            if table is not None and at is not None:
                place = places.get(origin_of_elements(at))
                size = table.shape[operation.attributes["axis"]]
                if place is not None and isinstance(size, int):
                    yield place, size


def require_within(array: np.ndarray, size: int) -> None:
    """DeviceError for a position outside of an axis."""
    if array.size:
        low, high = int(array.min()), int(array.max())
        if low < -size or high >= size:
            wrong = low if low < -size else high
            raise DeviceError(f"position {wrong} is outside of an axis of {size} elements")
