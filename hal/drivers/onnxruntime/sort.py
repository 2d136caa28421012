"""Ordering: the largest elements, unique elements."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import sort
from nnir.types import Precision

from ...lowering import Lowerings
from .binary import from_signed_order, to_signed_order
from .emitter import Emitter, Ref, Refs, Sizes

table = Lowerings[Ref]()


@table.lower(sort.top_k, implied=["sorted", "return_indices_dtype"])
def top_k(g: Emitter, input: Value, k: Sizes, *, axis: int, largest: bool) -> Refs:
    wide = input.precision == Precision.UINT64  # which has no kernel
    operands = to_signed_order(g, input) if wide else input, g.reshape(k, 1)
    values, places = g.node("TopK", *operands, outputs=2, axis=axis, largest=largest, sorted=1)
    values = from_signed_order(g, values, input.precision) if wide else values
    return values, places


@table.lower(sort.unique)
def unique(g: Emitter, input: Value, *, axis: int | None, sorted: bool) -> Refs:
    kinds = {Precision.BOOL8: Precision.INT8}
    plain = g.cast(input, kinds.get(input.precision, input.precision))
    return g.node("Unique", plain, outputs=4, axis=axis, sorted=sorted)
