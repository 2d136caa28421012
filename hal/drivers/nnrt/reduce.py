"""Reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.broadcast import axes_of, axis_of, ints
from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import reduce
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import Order
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
LATER: dict[str, Any] = {"reduceToEnd": False, "coeff": 1.0}


@table.each(
    {
        reduce.reduce_max: "REDUCE_MAX",
        reduce.reduce_mean: "REDUCE_MEAN",
        reduce.reduce_min: "REDUCE_MIN",
        reduce.reduce_prod: "REDUCE_PROD",
        reduce.reduce_sum: "REDUCE_SUM",
    }
)
def _reduce(g: Emitter, name: str, input: Value, axes: Value | None, *, keepdim: bool) -> Ref:
    known = () if axes is None else ints(axes)
    if known is None:
        raise NoLowering(f"nnrt has {name} along known axes only")
    places = axes_of(known, input.rank) or tuple(range(input.rank))
    x = g.take(input)
    if not places:
        return x
    shape, order = without_axes(x, places, keepdim=keepdim)
    where = g.ints(*(x.place(a) for a in places))
    return g.one(name, [x, where], shape, order, keepDims=keepdim, **LATER)


def without_axes(x: Ref, axes: Sequence[int], *, keepdim: bool) -> tuple[tuple[Dim, ...], Order]:
    """How a reduction is stored: sizes as they are stored, and their order."""
    pairs = list(zip(x.tensor.shape, x.order, strict=True))
    if keepdim:
        return tuple(1 if a in axes else d for d, a in pairs), x.order
    left = [a for _, a in pairs if a not in axes]
    sizes = tuple(d for d, a in pairs if a not in axes)
    return sizes, tuple(sorted(left).index(a) for a in left)


@table.lower(reduce.arg_max)
def arg_max(g: Emitter, input: Value, *, axis: int, keepdim: bool, dtype: Precision) -> Ref:
    return _position(g, g.take(input), axis_of(axis, input.rank), dtype, keepdim=keepdim)


@table.lower(reduce.arg_min)
def arg_min(g: Emitter, input: Value, *, axis: int, keepdim: bool, dtype: Precision) -> Ref:
    x = turn_order(g, g.take(input))
    return _position(g, x, axis_of(axis, input.rank), dtype, keepdim=keepdim)


def turn_order(g: Emitter, x: Ref) -> Ref:
    """Numbers that are large where those are small, all of them exactly."""
    precision = x.tensor.precision
    if precision == Precision.BOOL8:
        return ~x
    if precision.is_float:
        return -x
    is_signed = np.issubdtype(precision.dtype, np.signedinteger)
    bound = -1 if is_signed else np.iinfo(precision.dtype).max
    return bound - x


def _position(g: Emitter, x: Ref, axis: int, dtype: Precision, *, keepdim: bool) -> Ref:
    shape, order = without_axes(x, [axis], keepdim=keepdim)
    fields = {"axis": x.place(axis), "keepDims": keepdim, "topK": 1, "outMaxValue": False}
    made = g.one("ARG_MAX", [x], shape, order, Precision.INT32, **fields)
    return g.cast(made, dtype)
