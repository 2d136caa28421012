"""Elementwise functions of one tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.onnx import code_of
from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from ...quirks import report_met
from .emitter import Emitter, Ref, Taken
from .kernels import rounding_to
from .quirks import ABOVE_FLOAT8, TRUE_ZERO

table = Lowerings[Ref]()
HALVES = (Precision.FLOAT16, Precision.BFLOAT16)
ABSENT = frozenset(p for p in Precision if p.name.startswith(("FLOAT4E", "FLOAT6E", "COMPLEX")))
"""What ONNX Runtime casts neither from nor to."""
NARROW = frozenset({Precision.INT4, Precision.UINT4, Precision.INT2, Precision.UINT2})


table.natives(
    {
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
        unary.sin: "Sin",
        unary.sinh: "Sinh",
        unary.sqrt: "Sqrt",
    }
)


@table.lower(unary.sign)
def sign(g: Emitter, input: Value) -> Ref:
    """Of a half, the kernel takes NaN for 0."""
    kind = Precision.FLOAT32 if input.precision in HALVES else input.precision
    return g.node("Sign", g.cast(input, kind))


@table.lower(unary.square)
def square(g: Emitter, input: Taken) -> Ref:
    return input * input


@table.lower(unary.tan)
def tan(g: Emitter, input: Value) -> Ref:
    if input.precision != Precision.FLOAT64:
        return g.node("Tan", input)
    return g.node("Sin", input) / g.node("Cos", input)


@table.lower(unary.rsqrt)
def rsqrt(g: Emitter, input: Value) -> Ref:
    return g.node("Reciprocal", g.node("Sqrt", input))


HALF_WAY = 464
"""Between 448, the largest FLOAT8E4M3FN, and what would come next."""


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    for kind in (input.precision, dtype):
        if kind in ABSENT:
            raise NoLowering(f"onnxruntime has no {kind.name}")
    if dtype in NARROW and input.is_float:
        return g.cast(input, Precision.INT32)  # its own cast rounds
    if dtype == Precision.BOOL8 and input.is_float and input.dtype.itemsize == 1:
        report_met(TRUE_ZERO)
        return g.cast(input, Precision.FLOAT32)
    if dtype == Precision.FLOAT8E4M3FN and input.is_float and input.dtype.itemsize > 1:
        report_met(ABOVE_FLOAT8)
        wide = g.cast(input, Precision.FLOAT32)
        return g.cast(g.where(abs(wide) > HALF_WAY, np.nan, wide), dtype)
    # What an 8-bit float cannot hold becomes infinity or NaN; ONNX clamps it unless told not to.
    how: dict[str, Any] = {"to": code_of(dtype), **rounding_to(dtype)}
    return g.node("Cast", input, precision=dtype, **how)


REALS = frozenset({Precision.FLOAT16, Precision.BFLOAT16, Precision.FLOAT32, Precision.FLOAT64})
BIT_CAST = REALS | frozenset(p for p in Precision if p.is_integer and p < 24)
"""Precisions that ONNX Runtime reinterprets."""


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    plain = all(p.dtype.kind in "iu" for p in (input.precision, dtype))
    if plain or input.precision == Precision.BOOL8:
        return g.cast(input, dtype)
    if not {input.precision, dtype} <= BIT_CAST:
        raise NoLowering(f"onnxruntime has no bit cast of {input.type} to {dtype.name}")
    g.require(26, "BitCast")
    return g.node("BitCast", input, to=code_of(dtype), precision=dtype)
