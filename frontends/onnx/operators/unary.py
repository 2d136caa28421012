"""ONNX elementwise functions of one tensor."""

from __future__ import annotations

import math

from nnir.errors import Unsupported
from nnir.formats.onnx import precision_of_code
from nnir.model import Value
from nnir.ops import compare, unary
from nnir.recipes.unary import false_like, is_nan
from nnir.types import Precision

from ...table import Table
from .casting import cast_to

table = Table()
table.same(
    {
        "Abs": unary.abs_,
        "Ceil": unary.ceil,
        "Exp": unary.exp,
        "Floor": unary.floor,
        "Log": unary.log,
        "Neg": unary.neg,
        "Reciprocal": unary.reciprocal,
        "Sqrt": unary.sqrt,
    }
)
table.same(
    {
        "Acos": unary.acos,
        "Asin": unary.asin,
        "Atan": unary.atan,
        "Cos": unary.cos,
        "Sin": unary.sin,
        "Tan": unary.tan,
    },
    since=7,
)
table.same(
    {
        "Acosh": unary.acosh,
        "Asinh": unary.asinh,
        "Atanh": unary.atanh,
        "Cosh": unary.cosh,
        "Erf": unary.erf,
        "Sign": unary.sign,
        "Sinh": unary.sinh,
    },
    since=9,
)
table.same({"Round": unary.round_}, since=11)
HAVE_INFINITY = (
    *(Precision.FLOAT16, Precision.BFLOAT16, Precision.FLOAT32, Precision.FLOAT64),
    Precision.FLOAT8E5M2,
)

# The names of TensorProto.DataType in the order of their numbers: Cast had names before opset 6.
NAMES = (
    *("UNDEFINED", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING"),
    *("BOOL", "FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128"),
)


@table.convert("Cast")
def cast_1(input: Value, *, to: str) -> Value:
    if to not in NAMES[1:]:
        raise Unsupported(f"Cast with to={to!r}")
    return cast_to(input, to=precision_of_code(NAMES.index(to)))


table.convert("Cast", since=6)(cast_to)


@table.convert("CastLike", since=15)
def cast_like(
    input: Value, target_type: Value, *, saturate: bool = True, round_mode: str = "up"
) -> Value:
    return cast_to(input, to=target_type.precision, saturate=saturate, round_mode=round_mode)


@table.convert("BitCast", since=26)
def bit_cast(input: Value, *, to: Precision) -> Value:
    return unary.bit_cast(input, dtype=to)


table.convert("IsNaN", since=9)(is_nan)


@table.convert("IsInf", since=10)
def is_inf(x: Value, *, detect_negative: bool = True, detect_positive: bool = True) -> Value:
    if x.precision not in HAVE_INFINITY or not (detect_negative or detect_positive):
        return false_like(x)
    size = x if not detect_negative else abs(x) if detect_positive else -x
    return compare.equal(size, math.inf)
