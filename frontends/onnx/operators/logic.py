"""ONNX logical and bitwise operators."""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import logic

from ...table import Table
from .binary import broadcasting

table = Table()
for _name, _operator in {"And": logic.and_, "Or": logic.or_, "Xor": logic.xor}.items():
    broadcasting(table, _name, _operator)
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
def bit_shift(x: Value, y: Value, *, direction: str) -> Value:
    match direction:
        case "LEFT" | "RIGHT":
            return logic.bit_shift(x, y, left=direction == "LEFT")
    raise Unsupported(f"BitShift with direction={direction!r}")
