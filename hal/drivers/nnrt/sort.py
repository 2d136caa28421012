"""Largest elements."""

from __future__ import annotations

from nnir.broadcast import axis_of, ints
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import sort
from nnir.recipes.sort import top_k_of_opposites
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs, result_shape

table = Lowerings[Ref]()


table.decompose(sort.top_k, top_k_of_opposites)


@table.lower(sort.top_k, implied=["sorted"])
def top_k(
    g: Emitter, input: Value, k: Value, *, axis: int, return_indices_dtype: Precision
) -> Refs:
    count = ints(k)
    if count is None:
        raise NoLowering("nnrt has a known number of largest elements only")
    x = g.take(input)
    shape = tuple(result_shape(g)[a] for a in x.order)
    results = [(x.tensor.precision, shape, x.order), (Precision.INT32, shape, x.order)]
    place = x.place(axis_of(axis, input.rank))
    values, where = g.emit("TOP_K", [x, g.ints(*count)], results, sorted=True, axis=place)
    return values, g.cast(where, return_indices_dtype)
