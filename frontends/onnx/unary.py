"""ONNX elementwise functions of one tensor."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import unary

from ..table import Table
from .tensor import precision

table = Table()
table.same(
    {
        "Abs": unary.abs_,
        "Acos": unary.acos,
        "Acosh": unary.acosh,
        "Asin": unary.asin,
        "Asinh": unary.asinh,
        "Atan": unary.atan,
        "Atanh": unary.atanh,
        "Ceil": unary.ceil,
        "Cos": unary.cos,
        "Cosh": unary.cosh,
        "Erf": unary.erf,
        "Exp": unary.exp,
        "Floor": unary.floor,
        "Log": unary.log,
        "Neg": unary.neg,
        "Reciprocal": unary.reciprocal,
        "Round": unary.round_,
        "Sign": unary.sign,
        "Sin": unary.sin,
        "Sinh": unary.sinh,
        "Sqrt": unary.sqrt,
        "Tan": unary.tan,
        "Identity": unary.assign,
    }
)


@table.convert("Cast", since=6)
def cast(input: Value, *, to: int) -> Value:
    return unary.cast(input, dtype=precision(to))
