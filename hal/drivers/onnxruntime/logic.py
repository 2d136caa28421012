"""Logical and bitwise operators."""

from __future__ import annotations

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
        logic.bitwise_not: "BitwiseNot",
        logic.not_: "Not",
        logic.or_: "Or",
        logic.xor: "Xor",
    }
)


WIDE = {1: Precision.UINT32, 2: Precision.UINT32, 4: Precision.UINT32, 8: Precision.UINT64}
"""By the bytes of an integer the unsigned type to shift in."""


@table.lower(logic.bit_shift)
def bit_shift(g: Emitter, input0: Value, input1: Value, *, left: bool) -> Ref:
    width = input0.dtype.itemsize * 8
    wide = WIDE[input0.dtype.itemsize]
    count = g.cast(input1, Precision.INT64).cast(Precision.UINT64)  # negative: far too many
    inside = count < width
    by = g.where(inside, count.cast(wide), 0)

    def shift(bits: Ref) -> Ref:
        word = "LEFT" if left else "RIGHT"
        shifted = g.node("BitShift", bits.cast(wide), by, direction=word)
        return g.where(inside, shifted.cast(input0.precision), 0)

    x = g.take(input0)
    if left or input0.dtype.kind == "u":
        return shift(x)
    negative = x < 0
    shifted = shift(g.where(negative, g.node("BitwiseNot", x), x))
    return g.where(negative, g.node("BitwiseNot", shifted), shifted)
