"""Reductions."""

from __future__ import annotations

from typing import Any

from nnir.broadcast import axes_of, axis_of, ints
from nnir.decompositions.reduce import find_opposite
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import reduce
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
table.decompose(reduce.arg_min, find_opposite)
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
    shape, order = x.without(places, keepdim=keepdim)
    where = g.ints(*(x.place(a) for a in places))
    return g.one(name, [x, where], shape, order, keepDims=keepdim, **LATER)


@table.lower(reduce.arg_max)
def arg_max(g: Emitter, input: Value, *, axis: int, keepdim: bool, dtype: Precision) -> Ref:
    x, place = g.take(input), axis_of(axis, input.rank)
    shape, order = x.without([place], keepdim=keepdim)
    fields = {"axis": x.place(place), "keepDims": keepdim, "topK": 1, "outMaxValue": False}
    made = g.one("ARG_MAX", [x], shape, order, Precision.INT32, **fields)
    return g.cast(made, dtype)
