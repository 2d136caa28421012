"""Elementwise functions of one tensor."""

from __future__ import annotations

from typing import Any

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from . import proto
from .emitter import Emitter, Ref

table = Lowerings()
ABSENT = frozenset(
    p
    for p in Precision
    if p.name.startswith(("FLOAT4E", "FLOAT6E", "COMPLEX", "INT2", "UINT2", "FLOAT8E8M0"))
)
"""What ONNX has not in the opset that is emitted, or ONNX Runtime never."""

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


def rounded_once(g: Emitter, name: str, input: Value | Ref) -> Any:
    """A node that computes bfloat16 in float32: ONNX allows some of them from opset 22 on."""
    if input.precision != Precision.BFLOAT16 or name == "Identity":
        return g.node(name, input)
    return g.cast(g.node(name, g.cast(input, Precision.FLOAT32)), Precision.BFLOAT16)


def _same(operator: Operator, name: str) -> None:
    @table.lower(operator)
    def lower(g: Emitter, input: Value) -> Any:
        return rounded_once(g, name, input)


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


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Any:
    for kind in (input.precision, dtype):
        if kind in ABSENT:
            raise NoLowering(f"onnxruntime has no {kind.name}")
    if dtype in (Precision.INT4, Precision.UINT4) and input.is_float:
        return g.cast(g.cast(input, Precision.INT32), dtype)  # its own cast rounds
    # What an 8-bit float cannot hold becomes infinity or NaN; ONNX clamps it unless told not to.
    saturate = 0 if dtype.name.startswith("FLOAT8") else None
    return g.node("Cast", input, to=proto.code(dtype), saturate=saturate, precision=dtype)


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Any:
    plain = all(p.dtype.kind in "iu" for p in (input.precision, dtype))
    if not plain and input.precision != Precision.BOOL8:
        raise NoLowering(f"onnxruntime has no bit cast of {input.type} to {dtype.name}")
    return g.cast(input, dtype)
