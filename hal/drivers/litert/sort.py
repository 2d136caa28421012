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
    if input.precision == Precision.UINT64 or input.precision == Precision.FLOAT64:
        raise NoLowering(f"litert sorts no {input.precision.name}")
    along = axis_of(axis, input.rank)
    keys = _keys(g, g.take(input))
    if not largest:
        if keys.tensor.precision == Precision.UINT8:  # which has no opposites
            keys = keys.cast(Precision.INT32)
        keys = _opposite(g, keys)
    keys = g.last(keys, along)
    count = result_shape(g)[along]
    shape = (*keys.tensor.shape[:-1], count)
    many = g.reshape(int32(g, k), ())
    kind = keys.tensor.precision
    values, places = g.emit("TOPK_V2", [keys, many], [(kind, shape), (Precision.INT32, shape)])
    found = Ref(values, keys.order, kind, g)
    if not largest:
        found = _opposite(g, found)
    positions = Ref(places, keys.order, Precision.INT32, g).cast(return_indices_dtype)
    return _values(g, found, input.precision), positions


def _keys(g: Emitter, ref: Ref) -> Ref:
    """Integers in the order of the elements."""
    kind = ref.tensor.precision
    if kind != Precision.FLOAT32:
        return ref.seen_as(kind).cast(compute_precision("TOPK_V2", kind))
    return _flip_negative(g, g.same_bits(_canonical(g, ref), Precision.INT32))


def _canonical(g: Emitter, ref: Ref) -> Ref:
    """+0 for -0, and one positive NaN for all."""
    plain = ref + 0
    nan = plain.unequal(plain)
    made = g.where(nan, np.nan, plain)
    return made.seen_as(Precision.FLOAT32)


def _flip_negative(g: Emitter, bits: Ref) -> Ref:
    """The bits of negative floats the other way round; its own inverse."""
    ref = bits.seen_as(Precision.INT32)
    below = ref < 0
    mask = g.constant(np.iinfo(np.int32).max, np.int32)
    return g.where(below, g.elementwise("BITWISE_XOR", ref, mask), ref)


def _opposite(g: Emitter, ref: Ref) -> Ref:
    return -1 - ref


def _values(g: Emitter, found: Ref, precision: Precision) -> Ref:
    if not precision.is_float:
        return found.cast(precision)
    made = g.same_bits(_flip_negative(g, found), Precision.FLOAT32)
    return made.seen_as(precision)
