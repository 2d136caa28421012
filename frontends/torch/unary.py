"""ATen elementwise functions of one tensor."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

from nnir import build
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, binary, compare, complex, unary
from nnir.types import Precision

from ..table import Table
from .halves import once_rounded
from .promotion import COMPLEX, category, floating

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
        (x,) = floating(self)
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
    if not self.is_float:
        return self
    below = self < 0
    return compare.where(below, unary.ceil(self), unary.floor(self))


@table.convert("aten.frac.default")
def frac(self: Value) -> Value:
    return self - trunc(self)


@table.convert("aten.round.decimals")
def round_decimals(self: Value, *, decimals: int) -> Value:
    return rounded(self, decimals)


@table.convert("aten.special_round.default")
def special_round(self: Value, *, decimals: int = 0) -> Value:
    return rounded(self, decimals)


def rounded(x: Value, decimals: int) -> Value:
    """`x` rounded to so many decimal places; to tens, hundreds where that is negative."""
    if decimals == 0:
        return unary.round_(x) if x.is_float else x
    to, back = (binary.mul, binary.div) if decimals > 0 else (binary.div, binary.mul)

    def body(y: Value) -> Value:
        scale = y.scalar(10.0 ** abs(decimals))
        return back(unary.round_(to(y, scale)), scale)

    return once_rounded(body, x)


@table.convert("aten.sgn.default")
def sgn(self: Value) -> Value:
    if self.precision not in COMPLEX:
        return sign(self)
    size = abs(self)
    unit = self / size.cast(self.precision)
    return compare.where(compare.equal(size, 0), 0, unit)


@table.convert("aten.sign.default")
def sign(self: Value) -> Value:
    if self.precision == Precision.BOOL8:
        return self
    found = unary.sign(self)
    # PyTorch's sign of NaN is 0
    return compare.where(is_nan(self), 0, found) if self.is_float else found


SAME_SIZE = {1: Precision.INT8, 2: Precision.INT16, 4: Precision.INT32, 8: Precision.INT64}
"""By the bytes of a float the integer with the same bits."""


@table.convert("aten.signbit.default")
def signbit(self: Value) -> Value:
    if self.precision == Precision.BOOL8:
        return false_like(self)
    bits = self
    if self.is_float:
        bits = unary.bit_cast(self, dtype=SAME_SIZE[self.dtype.itemsize])
    return bits < 0


def false_like(x: Value) -> Value:
    """False in the shape of `x`."""
    truth = x.cast(Precision.BOOL8)
    return truth ^ truth


@table.convert("aten.square.default")
def square(self: Value) -> Value:
    is_bool = self.precision == Precision.BOOL8
    return unary.square(self.cast(Precision.INT64) if is_bool else self)


@table.convert("aten.exp2.default")
def exp2(self: Value) -> Value:
    (x,) = floating(self)
    return 2**x


@table.convert("aten.rad2deg.default")
def rad2deg(self: Value) -> Value:
    (x,) = floating(self)
    return x * (180 / math.pi)


@table.convert("aten.deg2rad.default")
def deg2rad(self: Value) -> Value:
    (x,) = floating(self)
    return x * (math.pi / 180)


def is_nan(x: Value) -> Value:
    """Where the elements are NaN."""
    return compare.not_equal(x, x)


@table.convert("aten.isnan.default")
def isnan(self: Value) -> Value:
    return is_nan(self)


@table.convert("aten.isfinite.default")
def isfinite(self: Value) -> Value:
    if not self.is_float and self.precision not in COMPLEX:
        return compare.equal(self, self)
    size = abs(self)  # of complex numbers too: infinite where a part is
    return size < math.inf


@table.convert("aten.isinf.default")
def isinf(self: Value) -> Value:
    if not self.is_float and self.precision not in COMPLEX:
        return compare.not_equal(self, self)
    size = abs(self)
    return compare.equal(size, math.inf)


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
    if self.precision in COMPLEX:
        return complex.angle(self)
    (x,) = floating(self)
    below = x < 0
    result = compare.where(below, x.scalar(math.pi), x.scalar(0))
    return compare.where(is_nan(x), x, result) if self.is_float else result


@table.convert("aten.frexp.Tensor")
def frexp(self: Value) -> tuple[Value, Value]:
    mantissa, exponent = unary.frexp(self)
    return mantissa, exponent


@table.convert("aten.logit.default")
def logit(self: Value, eps: float | None = None) -> Value:
    def body(x: Value) -> Value:
        if eps is not None:
            x = activation.clip(x, eps, 1 - eps)
        return unary.log(x / (1 - x))

    return once_rounded(body, *floating(self))


@table.convert("aten.sinc.default")
def sinc(self: Value) -> Value:
    def body(x: Value) -> Value:
        turned = x * math.pi
        zero = compare.equal(x, 0)
        quotient = unary.sin(turned) / turned
        return compare.where(zero, 1, quotient)

    return once_rounded(body, *floating(self))


def truth(x: Value) -> Value:
    """Whether the elements are not 0."""
    return x.cast(Precision.BOOL8)


@table.convert("aten.logical_not.default")
def logical_not(self: Value) -> Value:
    if self.precision == Precision.BOOL8:
        return ~self
    return compare.equal(self, 0)


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
