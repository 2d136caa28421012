"""Elementwise operators on one tensor."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
table.natives(
    {
        unary.abs_: "ABS",
        unary.ceil: "CEIL",
        unary.cos: "COS",
        unary.erf: "ERF",
        unary.exp: "EXP",
        unary.floor: "FLOOR",
        unary.log: "LOG",
        unary.neg: "NEG",
        unary.reciprocal: "RECIPROCAL",
        unary.round_: "ROUND",
        unary.rsqrt: "RSQRT",
        unary.sin: "SIN",
        unary.sqrt: "SQRT",
        unary.square: "SQUARE",
    }
)


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    return g.cast(input, dtype)


@table.lower(unary.assign)
def assign(g: Emitter, input: Value) -> Ref:
    return g.take(input)
