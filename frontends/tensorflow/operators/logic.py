"""TensorFlow's logic on bools and bits."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import logic
from nnir.recipes.logic import clamp_shift

from ...table import Table

table = Table()
table.same(
    {
        "BitwiseAnd": logic.bitwise_and,
        "BitwiseOr": logic.bitwise_or,
        "BitwiseXor": logic.bitwise_xor,
        "Invert": logic.bitwise_not,
        "LogicalAnd": logic.and_,
        "LogicalNot": logic.not_,
        "LogicalOr": logic.or_,
    }
)


@table.convert("LeftShift")
def left_shift(x: Value, y: Value) -> Value:
    return logic.bit_shift(x, clamp_shift(x, y), left=True)


@table.convert("RightShift")
def right_shift(x: Value, y: Value) -> Value:
    return logic.bit_shift(x, clamp_shift(x, y), left=False)
