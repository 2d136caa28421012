"""ONNX elementwise functions of one tensor."""

from __future__ import annotations

import math

from nnir.errors import Unsupported
from nnir.formats.onnx import precision_of_code
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import compare, unary
from nnir.types import Precision

from ...table import Table
from .casting import cast_to

table = Table()
table.same({"Identity": unary.assign})
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
IN_PLACE = {
    "Abs": unary.abs_,
    "Ceil": unary.ceil,
    "Exp": unary.exp,
    "Floor": unary.floor,
    "Log": unary.log,
    "Neg": unary.neg,
    "Reciprocal": unary.reciprocal,
    "Sqrt": unary.sqrt,
}
table.same(IN_PLACE, since=6)


def in_place(table: Table, name: str, operator: Operator) -> None:
    """Before opset 6 an attribute said which inputs may be overwritten; it changes no value."""

    @table.convert(name)
    def convert(x: Value, *, consumed_inputs: tuple[int, ...] = ()) -> Value:
        return operator(x)


for _name, _operator in IN_PLACE.items():
    in_place(table, _name, _operator)

# The names of TensorProto.DataType in the order of their numbers: Cast had names before opset 6.
NAMES = (
    *("UNDEFINED", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING"),
    *("BOOL", "FLOAT16", "DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128"),
)


@table.convert("Cast")
def cast_1(input: Value, *, to: str) -> Value:
    if to not in NAMES[1:]:
        raise Unsupported(f"Cast with to={to!r}")
    return cast(input, to=NAMES.index(to))


@table.convert("Cast", since=6)
def cast(input: Value, *, to: int) -> Value:
    return cast_to(input, precision_of_code(to))


@table.convert("Cast", since=19)
def cast_19(input: Value, *, to: int, saturate: bool = True, round_mode: str = "up") -> Value:
    return cast_to(input, precision_of_code(to), saturate=saturate, round_mode=round_mode)


@table.convert("CastLike", since=15)
def cast_like(
    input: Value, target_type: Value, *, saturate: bool = True, round_mode: str = "up"
) -> Value:
    return cast_to(input, target_type.precision, saturate=saturate, round_mode=round_mode)


@table.convert("BitCast", since=26)
def bit_cast(input: Value, *, to: int) -> Value:
    return unary.bit_cast(input, dtype=precision_of_code(to))


@table.convert("IsNaN", since=9)
def is_nan(x: Value) -> Value:
    return compare.not_equal(x, x)


@table.convert("IsInf", since=10)
def is_inf(x: Value, *, detect_negative: bool = True, detect_positive: bool = True) -> Value:
    if x.precision not in HAVE_INFINITY:
        return compare.not_equal(*[unary.cast(x, dtype=Precision.BOOL8)] * 2)
    infinity = x.model.constant(math.inf, x.dtype)
    match detect_negative, detect_positive:
        case True, True:
            return compare.equal(abs(x), infinity)
        case True, False:
            return compare.equal(-x, infinity)
        case False, True:
            return compare.equal(x, infinity)
    return infinity < x  # nothing is above infinity


HAVE_INFINITY = frozenset(
    {
        Precision.FLOAT16,
        Precision.BFLOAT16,
        Precision.FLOAT32,
        Precision.FLOAT64,
        Precision.FLOAT8E5M2,
    }
)
