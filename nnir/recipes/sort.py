"""Largest elements, their positions, and buckets between boundaries."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import axis_of, ints
from ..model import Index, Value
from ..operator import Operator
from ..ops import compare, reduce, shape, sort, unary
from ..types import Precision

WIDE = (Precision.INT32, Precision.INT64)


def find_buckets(input: Value, *, boundaries: tuple[float, ...]) -> Value:
    """How many of the sorted boundaries are not above each element, for NaN all."""
    wide = Precision.FLOAT64 if input.precision == Precision.FLOAT64 else Precision.FLOAT32
    x = shape.unsqueeze(input.cast(wide), [input.rank])
    edges = np.array(boundaries, np.float32).astype(wide.dtype)
    reached = ~(x < input.model.constant(edges))
    return reduce.reduce_sum(unary.cast(reached, dtype=Precision.INT32), [-1], keepdim=False)


def top_k_last_axis(x: Value, k: Value, index_type: Precision) -> tuple[Value, Value]:
    """The `k` largest elements of each row, and where they are."""
    kind = index_type if index_type in WIDE else Precision.INT64
    values, places = sort.top_k(x, k, axis=-1, return_indices_dtype=kind)
    return values, places.cast(index_type)


def largest_of_rows(
    input: Value,
    k: Index,
    index_type: Precision = Precision.INT32,
) -> tuple[Value, Value]:
    """The `k` largest elements of each row in order, and where they are."""
    known = ints(k)
    count = (
        shape.reshape(build.int64(k), [1]) if known is None else k.model.constant(known, np.int64)
    )
    return top_k_last_axis(input, count, index_type)


def best_position(
    operator: Operator, x: Value, dimension: int, kind: Precision, least: float
) -> Value:
    """Where the best element is; NaN is none."""
    if x.precision == Precision.BOOL8:
        x = unary.cast(x, dtype=Precision.UINT8)
    if x.is_float:
        x = compare.where(compare.equal(x, x), x, least)
    wide = kind if kind in WIDE else Precision.INT64
    axis = axis_of(dimension, x.rank)
    return operator(x, axis=axis, keepdim=False, dtype=wide).cast(kind)
