"""ATen elementwise functions of one tensor."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import unary
from nnir.types import Precision

from ..precision import cast_to
from ..table import Table
from .promotion import floating

table = Table()

FLOATING: dict[str, Operator] = {
    "acos": unary.acos,
    "acosh": unary.acosh,
    "asin": unary.asin,
    "asinh": unary.asinh,
    "atan": unary.atan,
    "atanh": unary.atanh,
    "cos": unary.cos,
    "cosh": unary.cosh,
    "erf": unary.erf,
    "exp": unary.exp,
    "log": unary.log,
    "reciprocal": unary.reciprocal,
    "rsqrt": unary.rsqrt,
    "sin": unary.sin,
    "sinh": unary.sinh,
    "sqrt": unary.sqrt,
    "tan": unary.tan,
}
"""Functions whose result is a float, of integers too."""


def _of_floats(name: str, operator: Operator) -> None:
    @table.convert(f"aten.{name}.default")
    def convert(self: Value) -> Value:
        (x,) = floating(self)
        result: Value = operator(x)
        return result


for _name, _operator in FLOATING.items():
    _of_floats(_name, _operator)

table.same({"aten.abs.default": unary.abs_, "aten.neg.default": unary.neg})


@table.convert("aten._to_copy.default")
def to_copy(self: Value, *, dtype: Precision | None = None) -> Value:
    return self if dtype is None else cast_to(self, dtype)


@table.convert("aten.to.dtype")
def to_dtype(self: Value, dtype: Precision, copy: bool = False) -> Value:
    return cast_to(self, dtype)


@table.convert("aten.type_as.default")
def type_as(self: Value, other: Value) -> Value:
    return cast_to(self, other.precision)
