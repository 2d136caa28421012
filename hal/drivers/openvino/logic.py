"""Logical and bitwise operators."""

from __future__ import annotations

from operator import invert

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import logic
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .integers import lower_in_32_bits, wide, wrap

table = Lowerings[Ref]()


table.native(logic.not_, "LogicalNot")
lower_in_32_bits(
    table,
    {
        logic.and_: "LogicalAnd",
        logic.bitwise_and: "BitwiseAnd",
        logic.bitwise_not: invert,
        logic.bitwise_or: "BitwiseOr",
        logic.bitwise_xor: "BitwiseXor",
        logic.or_: "LogicalOr",
        logic.xor: "LogicalXor",
    },
)


@table.lower(logic.bit_shift)
def bit_shift(g: Emitter, input0: Value, input1: Value, *, left: bool) -> Ref:
    """A count outside of the width shifts everything out."""
    if input0.precision == Precision.UINT32:
        raise NoLowering("openvino computes UINT32 as INT32, also in shifts")
    if input0.precision == Precision.INT64 and left:
        raise NoLowering("openvino computes int64 in 32 bits: shifts to the left")
    a, count = wide(g, input0), wide(g, input1)
    width = min(input0.dtype.itemsize * 8, 32)
    zero = g.number(0, count)
    inside = (zero <= count) & (count < width)
    by = g.where(inside, count, zero)
    shifted = g.pair("BitwiseLeftShift" if left else "BitwiseRightShift", a, by)
    empty: Ref = g.number(0, a)
    if not left and input0.dtype.kind == "i":
        empty = g.where(a < empty, -1, empty)
    return wrap(g, g.where(inside, shifted, empty), input0.precision)
