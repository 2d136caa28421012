"""Logical and bitwise operators."""

from __future__ import annotations

import numpy as np

from nnir.decompositions.logic import combine_halves
from nnir.model import Value
from nnir.ops import logic
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Taken
from .static import only_number

table = Lowerings[Ref]()


table.natives(
    {
        logic.and_: "LOGICAL_AND",
        logic.not_: "LOGICAL_NOT",
        logic.or_: "LOGICAL_OR",
        logic.xor: "NOT_EQUAL",
    }
)
table.decompose(logic.bitwise_and, combine_halves)


@table.lower(logic.bitwise_xor)
def bitwise_xor(g: Emitter, input0: Taken, input1: Taken) -> Ref:
    """A kernel of up to 32 bits, to which 64 are twice as many along a last axis."""
    if input0.precision.dtype.itemsize <= 4:
        return g.elementwise("BITWISE_XOR", input0, input1)
    made = g.plain(g.elementwise("BITWISE_XOR", *(_halves(g, v) for v in (input0, input1))))
    whole = g.one("BITCAST", [made], Precision.INT64, made.shape[:-1])
    return g.same_bits(whole, input0.precision)


def _halves(g: Emitter, ref: Ref) -> Ref:
    long = g.plain(g.same_bits(ref, Precision.INT64))
    data = long.tensor.data
    if data is not None:
        return g.constant(np.ascontiguousarray(data)[..., None].view(np.int32))
    return g.one("BITCAST", [long], Precision.INT32, (*long.shape, 2))


@table.lower(logic.bit_shift)
def bit_shift(g: Emitter, input0: Value, input1: Value, *, left: bool) -> Ref:
    count, width = only_number(input1), 8 * input0.dtype.itemsize
    is_inside = not left and width <= 32 and count is not None and 0 <= count < width
    g.need(is_inside, "shifts down, up to 32 bits, by one known count inside the width")
    return g.elementwise("RIGHT_SHIFT", input0, input1)
