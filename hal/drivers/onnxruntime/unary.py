"""Elementwise functions of one tensor."""

from __future__ import annotations

from typing import Any

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from . import proto
from .emitter import Emitter

table = Lowerings()

SAME = {
    unary.abs_: "Abs",
    unary.acos: "Acos",
    unary.acosh: "Acosh",
    unary.asin: "Asin",
    unary.asinh: "Asinh",
    unary.assign: "Identity",
    unary.atan: "Atan",
    unary.atanh: "Atanh",
    unary.ceil: "Ceil",
    unary.cos: "Cos",
    unary.cosh: "Cosh",
    unary.erf: "Erf",
    unary.exp: "Exp",
    unary.floor: "Floor",
    unary.log: "Log",
    unary.neg: "Neg",
    unary.reciprocal: "Reciprocal",
    unary.round_: "Round",
    unary.sign: "Sign",
    unary.sin: "Sin",
    unary.sinh: "Sinh",
    unary.sqrt: "Sqrt",
    unary.tan: "Tan",
}


def _same(operator: Operator, name: str) -> None:
    @table.lower(operator)
    def lower(g: Emitter, input: Value) -> Any:
        return g.node(name, input)


for _operator, _name in SAME.items():
    _same(_operator, _name)


@table.lower(unary.square)
def square(g: Emitter, input: Value) -> Any:
    return g.node("Mul", input, input)


@table.lower(unary.rsqrt)
def rsqrt(g: Emitter, input: Value) -> Any:
    return g.node("Reciprocal", g.node("Sqrt", input))


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Any:
    return g.node("Cast", input, to=proto.code(dtype), precision=dtype)
