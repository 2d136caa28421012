"""Largest elements."""

from __future__ import annotations

from nnir.broadcast import axis_of, ints
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import sort
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs, result_shape
from .reduce import turn_order

table = Lowerings[Ref]()


@table.lower(sort.top_k, implied=["sorted"])
def top_k(
    g: Emitter,
    input: Value,
    k: Value,
    *,
    axis: int,
    largest: bool,
    return_indices_dtype: Precision,
) -> Refs:
    count = ints(k)
    if count is None:
        raise NoLowering("nnrt has a known number of largest elements only")
    if not largest and input.is_float:
        raise NoLowering("nnrt has the largest elements, and NaN is the largest of both ends")
    x = g.take(input) if largest else turn_order(g, g.take(input))
    shape = tuple(result_shape(g)[a] for a in x.order)
    results = [(x.tensor.precision, shape, x.order), (Precision.INT32, shape, x.order)]
    place = x.place(axis_of(axis, input.rank))
    values, where = g.emit("TOP_K", [x, g.ints(*count)], results, sorted=True, axis=place)
    found = values if largest else turn_order(g, values)
    return found, g.cast(where, return_indices_dtype)
