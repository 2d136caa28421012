"""Ordering: the largest elements."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import sort
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs, result_shape
from .kernels import compute_precision
from .shape import int32

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
    """The smallest are the largest of the opposites, which for integers are -1 - x.

    NaN is the largest: positive ones lie above infinity in the order of the bits.
    """
    if input.precision in (Precision.UINT64, Precision.FLOAT64):
        raise NoLowering(f"litert sorts no {input.precision.name}")
    along = axis_of(axis, input.rank)
    keys = _keys(g, g.take(input))
    if not largest:
        if keys.tensor.precision == Precision.UINT8:  # which has no opposites
            keys = keys.cast(Precision.INT32)
        keys = -1 - keys
    keys = g.last(keys, along)
    shape = (*keys.tensor.shape[:-1], result_shape(g)[along])
    kinds = keys.tensor.precision, Precision.INT32
    made = g.emit("TOPK_V2", [keys, g.reshape(int32(g, k), ())], [(p, shape) for p in kinds])
    found, places = (Ref(t, keys.order, t.precision, g) for t in made)
    if not largest:
        found = -1 - found
    if input.is_float:
        found = g.same_bits(_flip_negative(g, found), Precision.FLOAT32).seen_as(input.precision)
    return found.cast(input.precision), places.cast(return_indices_dtype)


def _keys(g: Emitter, ref: Ref) -> Ref:
    """Integers in the order of the elements."""
    kind = ref.tensor.precision
    if kind != Precision.FLOAT32:
        return ref.seen_as(kind).cast(compute_precision("TOPK_V2", kind))
    plain = ref + 0  # +0 for -0, and one positive NaN for all
    alike = g.where(plain.unequal(plain), np.nan, plain).seen_as(kind)
    return _flip_negative(g, g.same_bits(alike, Precision.INT32))


def _flip_negative(g: Emitter, bits: Ref) -> Ref:
    """The bits of negative floats the other way round; its own inverse."""
    ref = bits.seen_as(Precision.INT32)
    below = ref < 0
    mask = g.constant(np.iinfo(np.int32).max, np.int32)
    return g.where(below, g.elementwise("BITWISE_XOR", ref, mask), ref)
