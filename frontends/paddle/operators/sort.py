"""Paddle's operators that order elements, or search among ordered ones."""

from __future__ import annotations

import math

from nnir.broadcast import axis_of
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import compare, shape, sort
from nnir.recipes.sort import kthvalue, runs, search_sorted, sort_along, top_k, top_k_along
from nnir.types import Precision

from ...table import Ints, Pair, Table

table = Table()
table.named(
    {
        "kthvalue": (kthvalue, "x k axis keepdim"),
    }
)


@table.convert("argsort")
def argsort(x: Value, axis: int, descending: bool, stable: bool) -> Pair:
    return sort_along(x, axis, descending=descending)


@table.convert("topk")
def topk(
    x: Value,
    k: Index,
    axis: int,
    largest: bool,
    sorted: bool,
) -> Pair:
    if not x.rank:
        return top_k_along(x, k)
    return top_k(x, k, axis_of(axis, x.rank), largest=largest)


@table.convert("searchsorted")
def searchsorted(sorted_sequence: Value, values: Value, out_int32: bool, right: bool) -> Value:
    """Behind all others for -infinity too."""
    found = search_sorted(sorted_sequence, values, right=right, to_int32=out_int32)
    if not values.is_float:
        return found
    last = sorted_sequence.size(sorted_sequence.rank - 1).cast(found.precision)
    return compare.where(compare.equal(values, -math.inf), last, found)


@table.convert("unique")
def unique(
    x: Value,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    axis: Ints,
    dtype: Precision,
    is_sorted: bool,
) -> tuple[Value, Value, Value, Value]:
    """In ascending order either way; where each occurs first, which each element is, how often."""
    if len(axis) > 1:
        raise BadType(f"unique along the axes {axis}")
    place = axis_of(axis[0], x.rank) if axis else None
    values, *others = sort.unique(x, axis=place)
    first, inverse, counts = (v.cast(dtype) for v in others)
    return values, first, inverse, counts


@table.convert("unique_consecutive")
def unique_consecutive(
    x: Value,
    return_inverse: bool,
    return_counts: bool,
    axis: Ints,
    dtype: Precision,
) -> tuple[Value, Value, Value]:
    if len(axis) > 1:
        raise BadType(f"unique_consecutive along the axes {axis}")
    if axis:
        found = runs(x, axis_of(axis[0], x.rank))
    else:
        found = runs(shape.reshape(x, [-1]) if x.rank != 1 else x, 0)
    values, inverse, counts = found
    return values, inverse.cast(dtype), counts.cast(dtype)
