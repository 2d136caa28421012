"""Order along an axis: the largest, the k-th, runs of equal elements, buckets."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import build
from ..broadcast import axis_of, contents, ints
from ..decompositions.reduce import opposite
from ..errors import BadType, Unsupported
from ..model import Index, Value
from ..operator import Operator
from ..ops import compare, index, reduce, shape, sort, unary
from ..types import Precision


def top_k(
    x: Value, k: Value | list[build.Size], axis: int, *, largest: bool
) -> tuple[Value, Value]:
    """TOP_K, of bools too."""
    count = k if isinstance(k, Value) else build.vector(x.model, k)
    wide = x.cast(Precision.UINT8) if x.precision == Precision.BOOL8 else x
    values, places = sort.top_k(wide, count, axis=axis, largest=largest)
    return values.cast(x.precision), places


def top_k_of_opposites(
    input: Value, k: Value, *, axis: int, largest: bool, return_indices_dtype: Precision, **_: bool
) -> tuple[Value, Value]:
    """TOP_K of the smallest integers by that of the largest opposites, of which none wraps."""
    if largest or not input.is_integer:
        raise Unsupported(f"the largest of {input.type}, or the smallest by opposites")
    wide = input.cast(Precision.INT32) if input.dtype.itemsize < 4 else input
    values, places = sort.top_k(
        opposite(wide), k, axis=axis, return_indices_dtype=return_indices_dtype
    )
    return opposite(values).cast(input.precision), places


def top_k_of_bits(input: Value, k: Value, **attributes: Any) -> tuple[Value, Value]:
    """TOP_K of floats by that of integers in their order, those of their bits with few changes.

    NaN is the largest: positive ones lie above infinity in the order of the bits.
    """
    if not input.is_float or input.precision == Precision.FLOAT64:
        raise Unsupported(f"the order of {input.type} by 32 bits")
    plain = input.cast(Precision.FLOAT32) + 0  # +0 for -0, and one positive NaN for all
    alike = compare.where(compare.not_equal(plain, plain), plain.scalar(np.nan), plain)
    keys = _flip_negative(unary.bit_cast(alike, dtype=Precision.INT32))
    values, places = sort.top_k(keys, k, **attributes)
    found = unary.bit_cast(_flip_negative(values), dtype=Precision.FLOAT32)
    return found.cast(input.precision), places


def _flip_negative(bits: Value) -> Value:
    """The bits of negative floats the other way round; its own inverse."""
    return compare.where(bits < 0, bits ^ np.iinfo(np.int32).max, bits)


def sort_along(x: Value, dim: int, *, descending: bool) -> tuple[Value, Value]:
    """All elements along an axis in order, equal ones as they were, and where they come from."""
    if not x.rank:
        return x, x.model.constant(np.int64(0))
    axis = axis_of(dim, x.rank)
    return top_k(x, [build.size_of(x, axis)], axis, largest=descending)


def top_k_along(
    x: Value, k: Index, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Value, Value]:
    """The k largest or smallest elements along an axis, and their positions."""
    if x.rank:
        return top_k(x, k, axis_of(axis, x.rank), largest=largest)
    if contents(k) != (1,):
        raise BadType(f"topk of {x.type} with k={contents(k)}")
    return x, x.model.constant(np.int64(0))


def kthvalue(x: Value, k: Index, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """The k-th smallest element along an axis, and its position."""
    if not x.rank:
        return top_k_along(x, k)
    axis = axis_of(dim, x.rank)
    found = top_k(x, k, axis, largest=False)
    last = x.model.constant(np.array([-1] if keepdim else -1, np.int64))
    values, places = (index.gather(v, last, axis=axis) for v in found)
    return values, places


def search_sorted(
    line: Value, x: Value, *, right: bool, to_int32: bool, has_axes: bool = True
) -> Value:
    """How many of the sorted numbers of `line` each element of `x` comes behind.

    What is not at or above (`right`: not above) an element is in front of it, for NaN too.
    """
    row = line if not has_axes or line.rank == 1 else shape.unsqueeze(line, [line.rank - 1])
    above = (compare.greater if right else compare.greater_equal)(row, shape.unsqueeze(x, [x.rank]))
    kind = Precision.INT32 if to_int32 else Precision.INT64
    before = unary.cast(~above, dtype=kind)
    return reduce.reduce_sum(before, [-1], keepdim=False)


def runs(x: Value, axis: int) -> tuple[Value, Value, Value]:
    """The first slice of every run of equal ones, the run of each slice, and their lengths."""
    last = np.iinfo(np.int64).max
    changed = compare.not_equal(
        index.slice_(x, [axis], [1], [last]), index.slice_(x, [axis], [0], [-1])
    )
    others = [k for k in range(x.rank) if k != axis]
    if others:
        wide = unary.cast(changed, dtype=Precision.UINT8)
        changed = reduce.reduce_max(wide, others, keepdim=False).cast(Precision.BOOL8)
    size = build.size_of(x, axis)
    true = index.slice_(
        x.model.constant(np.ones(1, np.bool_)), [0], [0], build.vector(x.model, [size])
    )
    first = shape.concat(true, changed, axis=0)
    starts = shape.squeeze(index.non_zero(first), [0])
    run = reduce.cum_sum(unary.cast(first, dtype=Precision.INT64), [0])
    ends = shape.concat(
        index.slice_(starts, [0], [1], [last]), build.vector(x.model, [size]), axis=0
    )
    counts = ends - starts
    return index.gather(x, starts, axis=axis), run - 1, counts


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
    x: Value, k: Index, index_type: Precision = Precision.INT32
) -> tuple[Value, Value]:
    """The `k` largest elements of each row in order, and where they are."""
    known = ints(k)
    count = (
        shape.reshape(build.int64(k), [1]) if known is None else k.model.constant(known, np.int64)
    )
    return top_k_last_axis(x, count, index_type)


def best_position(
    operator: Operator[Value], x: Value, axis: int, kind: Precision, least: float
) -> Value:
    """Where the best element is; NaN is none."""
    if x.precision == Precision.BOOL8:
        x = unary.cast(x, dtype=Precision.UINT8)
    if x.is_float:
        x = compare.where(compare.equal(x, x), x, least)
    wide = kind if kind in WIDE else Precision.INT64
    place = axis_of(axis, x.rank)
    return operator(x, axis=place, keepdim=False, dtype=wide).cast(kind)
