"""Ordering: the largest elements."""

from __future__ import annotations

from nnir.ops import sort
from nnir.recipes.sort import top_k_of_bits, top_k_of_opposites
from nnir.recipes.uniques import unique_by_order
from nnir.types import Precision

from ...lowering import Lowerings
from ...operands import Axis
from .emitter import Emitter, Ref, Refs, Taken, result_shape
from .kernels import compute_precision
from .shape import Sizes

table = Lowerings[Ref]()
table.decompose(sort.top_k, top_k_of_bits, top_k_of_opposites)
table.decompose(sort.unique, unique_by_order)


@table.lower(sort.top_k, implied=["sorted"])
def top_k(
    g: Emitter, input: Taken, k: Sizes, *, axis: Axis, return_indices_dtype: Precision
) -> Refs:
    given = input.precision
    g.need(not given.is_float, f"has no order of {given.name} with NaN")
    keys = g.last(input.cast(compute_precision("TOPK_V2", given)), axis)
    kinds = [(p, result_shape(g, keys.order)) for p in (keys.precision, Precision.INT32)]
    found, places = g.several("TOPK_V2", [keys, g.reshape(k, ())], kinds, keys.order)
    return found.cast(given), places.cast(return_indices_dtype)
