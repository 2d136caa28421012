"""ATen elementwise functions of one tensor."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

from nnir import build
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, compare, complex, unary
from nnir.recipes import unary as unary_recipes
from nnir.recipes.promotion import COMPLEX, category, promote_to_float, round_once
from nnir.recipes.unary import false_like, is_nan
from nnir.types import Precision

from ...table import Table

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
    "erfc": unary.erfc,
    "exp": unary.exp,
    "expm1": unary.expm1,
    "log": unary.log,
    "log10": unary.log10,
    "log1p": unary.log1p,
    "log2": unary.log2,
    "reciprocal": unary.reciprocal,
    "rsqrt": unary.rsqrt,
    "sigmoid": activation.sigmoid,
    "sin": unary.sin,
    "sinh": unary.sinh,
    "sqrt": unary.sqrt,
    "tan": unary.tan,
    "tanh": activation.tanh,
}
"""Functions whose result is a float, of integers too."""


def _of_floats(name: str, operator: Operator) -> None:
    @table.convert(f"aten.{name}.default")
    def convert(self: Value) -> Value:
        (x,) = promote_to_float(self)
        return operator(x)


for _name, _operator in FLOATING.items():
    _of_floats(_name, _operator)

table.same({"aten.abs.default": unary.abs_, "aten.neg.default": unary.neg})


def _whole(name: str, operator: Operator) -> None:
    """Rounding to an integer; integers are that already."""

    @table.convert(f"aten.{name}.default")
    def convert(self: Value) -> Value:
        return operator(self) if self.is_float else self


for _name, _operator in {
    "ceil": unary.ceil,
    "floor": unary.floor,
    "round": unary.round_,
}.items():
    _whole(_name, _operator)


@table.convert("aten.trunc.default")
def trunc(self: Value) -> Value:
    return unary_recipes.trunc(self)


@table.convert("aten.frac.default")
def frac(self: Value) -> Value:
    return self - trunc(self)


@table.convert("aten.round.decimals")
def round_decimals(self: Value, *, decimals: int) -> Value:
    return unary_recipes.round_decimals(self, decimals)


@table.convert("aten.special_round.default")
def special_round(self: Value, *, decimals: int = 0) -> Value:
    return unary_recipes.round_decimals(self, decimals)


@table.convert("aten.sgn.default")
def sgn(self: Value) -> Value:
    return unary_recipes.sgn(self)


@table.convert("aten.sign.default")
def sign(self: Value) -> Value:
    return unary_recipes.sign(self)


@table.convert("aten.signbit.default")
def signbit(self: Value) -> Value:
    return unary_recipes.signbit(self)


@table.convert("aten.square.default")
def square(self: Value) -> Value:
    is_bool = self.precision == Precision.BOOL8
    return unary.square(self.cast(Precision.INT64) if is_bool else self)


@table.convert("aten.exp2.default")
def exp2(self: Value) -> Value:
    (x,) = promote_to_float(self)
    return 2**x


@table.convert("aten.rad2deg.default")
def rad2deg(self: Value) -> Value:
    (x,) = promote_to_float(self)
    return x * (180 / math.pi)


@table.convert("aten.deg2rad.default")
def deg2rad(self: Value) -> Value:
    (x,) = promote_to_float(self)
    return x * (math.pi / 180)


@table.convert("aten.isnan.default")
def isnan(self: Value) -> Value:
    return is_nan(self)


@table.convert("aten.isfinite.default")
def isfinite(self: Value) -> Value:
    return unary_recipes.isfinite(self)


@table.convert("aten.isinf.default")
def isinf(self: Value) -> Value:
    return unary_recipes.isinf(self)


def _infinite(name: str, infinity: float) -> None:
    @table.convert(f"aten.{name}.default")
    def convert(self: Value) -> Value:
        if not self.is_float:
            return compare.not_equal(self, self)
        return compare.equal(self, infinity)


_infinite("isneginf", -math.inf)
_infinite("isposinf", math.inf)


@table.convert("aten.isreal.default")
def isreal(self: Value) -> Value:
    if self.precision in COMPLEX:
        part = complex.imag(self)
        return compare.equal(part, 0)
    return ~false_like(self)


@table.convert("aten.nan_to_num.default")
def nan_to_num(
    self: Value,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Value:
    if not self.is_float:
        return self
    limits = ml_dtypes.finfo(self.dtype)  # type: ignore[no-untyped-call]
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    result = compare.where(is_nan(self), nan or 0.0, self)
    above = compare.equal(self, math.inf)
    result = compare.where(above, high, result)
    below = compare.equal(self, -math.inf)
    return compare.where(below, low, result)


@table.convert(
    *("aten.clone.default", "aten.contiguous.default", "aten.positive.default"),
    "aten.data.default",
)
def same(self: Value) -> Value:
    return self


@table.convert("aten._to_copy.default")
def to_copy(self: Value, *, dtype: Precision | None = None) -> Value:
    return self if dtype is None else self.cast(dtype)


@table.convert("aten.to.dtype", "aten.to.device")
def to_dtype(self: Value, dtype: Precision, copy: bool = False) -> Value:
    return self.cast(dtype)


@table.convert("aten.to.dtype_layout")
def to_dtype_layout(self: Value, *, dtype: Precision | None = None, copy: bool = False) -> Value:
    return self if dtype is None else self.cast(dtype)


@table.convert("aten.to.other")
def to_other(self: Value, other: Value, copy: bool = False) -> Value:
    return self.cast(other.precision)


@table.convert("aten.type_as.default")
def type_as(self: Value, other: Value) -> Value:
    return self.cast(other.precision)


@table.convert("prims.convert_element_type.default")
def convert_element_type(a: Value, dtype: Precision) -> Value:
    return a.cast(dtype)


@table.convert("aten.angle.default")
def angle(self: Value) -> Value:
    return unary_recipes.angle(self)


@table.convert("aten.frexp.Tensor")
def frexp(self: Value) -> tuple[Value, Value]:
    mantissa, exponent = unary.frexp(self)
    return mantissa, exponent


@table.convert("aten.logit.default")
def logit(self: Value, eps: float | None = None) -> Value:
    if eps is not None and eps > 0.5:
        raise Unsupported(f"logit with {eps=}, whose bounds are in no order")
    return unary_recipes.logit(self, eps)


@table.convert("aten.sinc.default")
def sinc(self: Value) -> Value:
    def body(x: Value) -> Value:
        turned = x * math.pi
        zero = compare.equal(x, 0)
        quotient = unary.sin(turned) / turned
        return compare.where(zero, 1, quotient)

    return round_once(body, *promote_to_float(self))


@table.convert("aten.logical_not.default")
def logical_not(self: Value) -> Value:
    return unary_recipes.logical_not(self)


@table.convert("aten.bitwise_not.default")
def bitwise_not(self: Value) -> Value:
    return ~self


@table.convert("aten.item.default", "aten._local_scalar_dense.default")
def item(self: Value) -> Value:
    """The one element as a number of Python, which has 64 bits."""
    one = build.reshape_to(self, self.model.constant(np.zeros(0, np.int64)))
    match category(self.precision):
        case 0:
            return one
        case 1:
            return one.cast(Precision.INT64)
        case 2:
            return one.cast(Precision.FLOAT64)
    raise Unsupported(f"a number of a tensor {self.type}")
