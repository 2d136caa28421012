"""Numbers that programs give as tensors of one element, often of floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import shape
from nnir.types import Precision

from ...parameter import short


def whole(x: Value) -> Value:
    """A size or a count as int64 without axes."""
    if x.known is not None and x.known.size == 1:
        return x.model.constant(np.int64(x.known.item()))
    wide = x.cast(Precision.INT64)
    return shape.reshape(wide, []) if wide.rank else wide


def array_of_numbers(values: tuple[Any, ...], precision: Precision) -> np.ndarray:
    """Numbers of a file as an array."""
    array = np.array(values)
    if array.dtype.kind not in "biufc":
        raise BadType(f"values {short(values)} that are no numbers")
    return array.astype(precision.dtype)


def require_positions(op: str, where: Value) -> None:
    """BadType unless positions are int32 or int64, which Paddle takes others for."""
    if where.precision not in (Precision.INT32, Precision.INT64):
        raise BadType(f"{op} at {where.type}: int32 or int64 is needed")
