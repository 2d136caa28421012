"""TFLite's comparisons, choices and logic."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import compare, logic
from nnir.recipes.compare import select_rows
from nnir.recipes.index import nonzero
from nnir.recipes.logic import clamp_shift

from ...table import Table

table = Table()
table.same(
    {
        "BITWISE_XOR": logic.bitwise_xor,
        "GREATER": compare.greater,
        "GREATER_EQUAL": compare.greater_equal,
        "LESS": compare.less,
        "LESS_EQUAL": compare.less_equal,
        "LOGICAL_AND": logic.and_,
        "LOGICAL_NOT": logic.not_,
        "LOGICAL_OR": logic.or_,
        "SELECT_V2": compare.where,
    }
)


@table.convert("RIGHT_SHIFT")
def right_shift(x: Value, y: Value) -> Value:
    return logic.bit_shift(x, clamp_shift(x, y), left=False)


table.convert("SELECT")(select_rows)


@table.convert("WHERE")
def where(condition: Value) -> Value:
    return nonzero(condition)


@table.convert("EQUAL")
def equal(x: Value, y: Value) -> Value:
    return compare.equal(x, y)


@table.convert("NOT_EQUAL")
def not_equal(x: Value, y: Value) -> Value:
    return compare.not_equal(x, y)
