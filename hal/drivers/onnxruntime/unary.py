"""Elementwise functions of one tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.onnx import code_of
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter

table = Lowerings()
ABSENT = frozenset(p for p in Precision if p.name.startswith(("FLOAT4E", "FLOAT6E", "COMPLEX")))
"""What ONNX Runtime casts neither from nor to."""
NARROW = frozenset({Precision.INT4, Precision.UINT4, Precision.INT2, Precision.UINT2})

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


@table.lower(unary.tan)
def tan(g: Emitter, input: Value) -> Any:
    if input.precision != Precision.FLOAT64:
        return g.node("Tan", input)
    return g.node("Div", g.node("Sin", input), g.node("Cos", input))


@table.lower(unary.rsqrt)
def rsqrt(g: Emitter, input: Value) -> Any:
    return g.node("Reciprocal", g.node("Sqrt", input))


# W. H. Press and others, Numerical Recipes, 6.2: erfc(x) = t exp(-x^2 + P(t)) for x >= 0 and
# t = 1 / (1 + x / 2), with a relative error below 1.2e-7.
_ERFC = (
    *(0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807),
    *(-0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223),
)


@table.lower(unary.erfc)
def erfc(g: Emitter, input: Value) -> Any:
    """Not 1 - erf(x), which keeps nothing of a small result."""
    if input.precision == Precision.FLOAT64:
        raise NoLowering("onnxruntime has no ERFC for FLOAT64")
    x = g.cast(input, Precision.FLOAT32)
    one, two, half = (g.constant(n, np.float32) for n in (1.0, 2.0, 0.5))
    size = g.node("Abs", x)
    t = g.node("Reciprocal", g.node("Add", g.node("Mul", size, half), one))
    series = g.constant(_ERFC[0], np.float32)
    for coefficient in _ERFC[1:]:
        product = g.node("Mul", series, t)
        series = g.node("Add", product, g.constant(coefficient, np.float32))
    power = g.node("Exp", g.node("Sub", series, g.node("Mul", size, size)))
    made = g.node("Mul", t, power)
    is_negative = g.node("Less", x, g.constant(0.0, np.float32), precision=Precision.BOOL8)
    result = g.node(
        "Where", is_negative, g.node("Sub", two, made), made, precision=Precision.FLOAT32
    )
    return g.cast(result, input.precision)


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Any:
    for kind in (input.precision, dtype):
        if kind in ABSENT:
            raise NoLowering(f"onnxruntime has no {kind.name}")
    if dtype in NARROW and input.is_float:
        return g.cast(g.cast(input, Precision.INT32), dtype)  # its own cast rounds
    # What an 8-bit float cannot hold becomes infinity or NaN; ONNX clamps it unless told not to.
    saturate = 0 if dtype.name.startswith("FLOAT8") else None
    return g.node("Cast", input, to=code_of(dtype), saturate=saturate, precision=dtype)


BIT_CAST = frozenset(
    p for p in Precision if p.dtype.name in ("float16", "bfloat16", "float32", "float64")
) | frozenset(p for p in Precision if p.dtype.kind in "iu" and p < 24)
"""Precisions that ONNX Runtime reinterprets."""


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Any:
    plain = all(p.dtype.kind in "iu" for p in (input.precision, dtype))
    if plain or input.precision == Precision.BOOL8:
        return g.cast(input, dtype)
    if not {input.precision, dtype} <= BIT_CAST:
        raise NoLowering(f"onnxruntime has no bit cast of {input.type} to {dtype.name}")
    return g.node("BitCast", input, to=code_of(dtype), precision=dtype, since=26)
