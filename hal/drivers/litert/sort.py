"""Ordering: the largest elements."""

from __future__ import annotations

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.ops import sort
from nnir.recipes.sort import top_k_of_bits, top_k_of_opposites
from nnir.recipes.uniques import unique_by_order
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs, Taken, result_shape
from .kernels import compute_precision
from .shape import Sizes

table = Lowerings[Ref]()
table.decompose(sort.top_k, top_k_of_bits, top_k_of_opposites)
table.decompose(sort.unique, unique_by_order)


@table.lower(sort.top_k, implied=["sorted"])
def top_k(
    g: Emitter, input: Taken, k: Sizes, *, axis: int, return_indices_dtype: Precision
) -> Refs:
    if input.precision.is_float:
        raise NoLowering(f"litert has no order of {input.precision.name} with NaN")
    along, kind = axis_of(axis, input.rank), compute_precision("TOPK_V2", input.precision)
    keys = g.last(g.cast(input, kind), along)
    shape = (*keys.tensor.shape[:-1], result_shape(g)[along])
    kinds = [(p, shape) for p in (kind, Precision.INT32)]
    made = g.emit("TOPK_V2", [keys, g.reshape(k, ())], kinds)
    found, places = (Ref(t, keys.order, t.precision, g) for t in made)
    return found.cast(input.precision), places.cast(return_indices_dtype)
