"""Logical and bitwise operators."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import logic
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()


table.natives(
    {
        logic.and_: "And",
        logic.bitwise_and: "BitwiseAnd",
        logic.bitwise_or: "BitwiseOr",
        logic.bitwise_xor: "BitwiseXor",
        logic.or_: "Or",
        logic.xor: "Xor",
    }
)


table.native(logic.not_, "Not")


table.native(logic.bitwise_not, "BitwiseNot")


WIDE = {1: Precision.UINT32, 2: Precision.UINT32, 4: Precision.UINT32, 8: Precision.UINT64}
"""By the bytes of an integer the unsigned type to shift in."""


@table.lower(logic.bit_shift)
def bit_shift(g: Emitter, input0: Value, input1: Value, *, left: bool) -> Ref:
    width = input0.dtype.itemsize * 8
    wide = WIDE[input0.dtype.itemsize]
    count = g.cast(g.cast(input1, Precision.INT64), Precision.UINT64)  # negative: far too many
    inside = g.node("Less", count, g.constant(width, np.uint64))
    by = g.where(inside, g.cast(count, wide), g.constant(0, wide.dtype))
    if left:
        shifted = g.node("BitShift", g.cast(input0, wide), by, direction="LEFT")
        return g.where(inside, g.cast(shifted, input0.precision), g.number(0, input0))
    if input0.dtype.kind == "u":
        shifted = g.node("BitShift", g.cast(input0, wide), by, direction="RIGHT")
        return g.where(inside, g.cast(shifted, input0.precision), g.number(0, input0))
    negative = g.node("Less", input0, g.number(0, input0))
    bits = g.where(negative, g.node("BitwiseNot", input0), input0)
    shifted = g.node("BitShift", g.cast(bits, wide), by, direction="RIGHT")
    shifted = g.where(inside, g.cast(shifted, input0.precision), g.number(0, input0))
    return g.where(negative, g.node("BitwiseNot", shifted), shifted)
