"""ONNX logical and bitwise operators."""

from __future__ import annotations

from typing import Literal

from nnir.model import Value
from nnir.ops import logic

from ...table import Table
from .binary import register_broadcasting

table = Table()
register_broadcasting(table, {"And": logic.and_, "Or": logic.or_, "Xor": logic.xor})
table.same({"Not": logic.not_})
table.same(
    {
        "BitwiseAnd": logic.bitwise_and,
        "BitwiseNot": logic.bitwise_not,
        "BitwiseOr": logic.bitwise_or,
        "BitwiseXor": logic.bitwise_xor,
    },
    since=18,
)


@table.convert("BitShift", since=11)
def bit_shift(x: Value, y: Value, *, direction: Literal["LEFT", "RIGHT"]) -> Value:
    return logic.bit_shift(x, y, left=direction == "LEFT")
