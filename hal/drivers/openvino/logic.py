"""Logical and bitwise operators."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import logic
from nnir.types import Precision

from .emitter import Emitter, Ref
from .forms import Table
from .integers import wide, wrap

table = Table()


table.native(logic.not_, "LogicalNot")
table.formulas(
    {
        logic.and_: "LogicalAnd",
        logic.bitwise_and: "BitwiseAnd",
        logic.bitwise_not: lambda g, x: ~x,
        logic.bitwise_or: "BitwiseOr",
        logic.bitwise_xor: "BitwiseXor",
        logic.or_: "LogicalOr",
        logic.xor: "LogicalXor",
    },
)


@table.lower(logic.bit_shift)
def bit_shift(g: Emitter, input0: Value, input1: Value, *, left: bool) -> Ref:
    """A count outside of the width shifts everything out."""
    kind = input0.precision
    g.need(
        kind != Precision.UINT32 and not (kind == Precision.INT64 and left),
        f"computes {kind.name} as INT32, also in shifts",
    )
    a, count = wide(g, input0), wide(g, input1)
    inside = (count >= 0) & (count < min(input0.dtype.itemsize * 8, 32))
    if not left:
        return wrap(g, g.pair("BitwiseRightShift", a, g.where(inside, count, 31)), kind)
    shifted = g.pair("BitwiseLeftShift", a, g.where(inside, count, 0))
    return wrap(g, g.where(inside, shifted, g.number(0, a)), kind)
