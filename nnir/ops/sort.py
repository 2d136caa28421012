"""Ordering: the largest elements, unique elements."""

from __future__ import annotations

import numpy as np

from ..broadcast import axis_of, contents
from ..dim import Dim, product
from ..model import Index, Value
from ..operator import Pattern, operator, require
from ..types import Precision, TensorType


def _top_k(
    input: np.ndarray,
    k: np.ndarray,
    *,
    axis: int,
    largest: bool,
    sorted: bool,
    return_indices_dtype: Precision,
) -> tuple[np.ndarray, np.ndarray]:
    count, size = int(k.item()), input.shape[axis]
    if not 0 <= count <= size:
        raise ValueError(f"k={count} of {size} elements")
    moved = np.moveaxis(input, axis, -1)
    is_foreign = moved.dtype.isbuiltin != 1
    keys = moved.astype(np.float32) if is_foreign else moved  # NaN has a place there
    if largest:  # a stable sort backwards: of equal elements the first stays first
        order = size - 1 - np.argsort(keys[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    else:
        order = np.argsort(keys, axis=-1, kind="stable")
    order = order[..., :count]
    values = np.moveaxis(np.take_along_axis(moved, order, axis=-1), -1, axis)
    return values, np.moveaxis(order, -1, axis).astype(return_indices_dtype.dtype)


@operator(code=88, reference=_top_k)
def top_k(
    input: Value,
    k: Index,
    *,
    axis: int,
    largest: bool = True,
    sorted: bool = True,
    return_indices_dtype: Precision = Precision.INT64,
) -> tuple[TensorType, TensorType]:
    """The `k` largest (or smallest) elements along an axis, and where they are.

    Types: any float or integer; the positions are INT32 or INT64.
    Shapes: `axis` becomes k.
    Edges: of equal elements the first comes first; NaN counts as the largest; the result is
    in order with `sorted` false too.
    """
    require(input.is_float or input.is_integer, f"top_k of {input.type}")
    require(k.is_integer, f"top_k needs an integer k, not {k.type}")
    whole = return_indices_dtype in (Precision.INT32, Precision.INT64)
    require(whole, f"top_k gives INT32 or INT64 positions, not {return_indices_dtype.name}")
    along = axis_of(axis, input.rank)
    known = contents(k)
    require(known is None or len(known) == 1, f"top_k needs one k, not {k.type}")
    count = known[0] if known else input.model.fresh()
    size = input.shape[along]
    if isinstance(count, int):
        fits = count >= 0 and not (isinstance(size, int) and count > size)
        require(fits, f"top_k with k={count} along axis {axis} of {input.type}")
    shape = (*input.shape[:along], count, *input.shape[along + 1 :])
    return input.type.with_shape(shape), TensorType(return_indices_dtype, shape)


def _unique(input: np.ndarray, *, axis: int | None, sorted: bool) -> tuple[np.ndarray, ...]:
    values, first, inverse, counts = np.unique(
        input, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    inverse = inverse.reshape(-1)
    if not sorted:
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        values = np.take(values, order, axis=0 if axis is None else axis)
        first, inverse, counts = first[order], rank[inverse], counts[order]
    return values, *(a.astype(np.int64) for a in (first, inverse, counts))


@operator(pattern=Pattern.MOVEMENT, code=1800, reference=_unique)
def unique(
    input: Value, *, axis: int | None = None, sorted: bool = True
) -> tuple[TensorType, TensorType, TensorType, TensorType]:
    """The distinct elements, or the distinct slices along `axis`.

    Gives them, where each occurs first, which of them each element of `input` is, and how often
    each occurs: in ascending order, or in order of first occurrence.

    Types: any; the positions and counts are INT64.
    Shapes: how many are distinct is only known while running.
    Edges: without an axis every NaN counts as the same element.
    """
    count = input.model.fresh()
    length: Dim
    shape: tuple[Dim, ...]
    if axis is None:
        length, shape = product(input.shape), (count,)
    else:
        along = axis_of(axis, input.rank)
        length = input.shape[along]
        shape = (*input.shape[:along], count, *input.shape[along + 1 :])
    positions = [TensorType(Precision.INT64, (n,)) for n in (count, length, count)]
    return input.type.with_shape(shape), positions[0], positions[1], positions[2]
