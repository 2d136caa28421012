"""TFLite's arithmetic on two tensors."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import binary, unary
from nnir.recipes.binary import floor_of_quotient

from ...table import Table
from .fused import activate

table = Table()
table.same(
    {
        "ATAN2": binary.atan2,
        "MAXIMUM": binary.max_,
        "MINIMUM": binary.min_,
        "POW": binary.pow_,
    }
)


table.convert("FLOOR_DIV")(floor_of_quotient)


@table.convert("FLOOR_MOD")
def floor_mod(x: Value, y: Value) -> Value:
    return x % y


@table.convert("SQUARED_DIFFERENCE")
def squared_difference(x: Value, y: Value) -> Value:
    return unary.square(x - y)


@table.convert("ADD")
def add(x: Value, y: Value, *, fused_activation_function: str) -> Value:
    return activate(x + y, fused_activation_function)


@table.convert("SUB")
def sub(x: Value, y: Value, *, fused_activation_function: str) -> Value:
    return activate(x - y, fused_activation_function)


@table.convert("MUL")
def mul(x: Value, y: Value, *, fused_activation_function: str) -> Value:
    return activate(x * y, fused_activation_function)


@table.convert("DIV")
def div(x: Value, y: Value, *, fused_activation_function: str) -> Value:
    return activate(x / y, fused_activation_function)


@table.convert("ADD_N")
def add_n(*inputs: Value) -> Value:
    return binary.sum_(*inputs)
