"""ATen arithmetic on two operands."""

from __future__ import annotations

import math

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, binary, compare, logic, unary
from nnir.recipes import binary as binary_recipes
from nnir.recipes.binary import apply_promoted
from nnir.recipes.promotion import (
    DEFAULT_FLOAT,
    Number,
    Operand,
    category,
    common_precision,
    promote,
    promote_to,
    promote_to_float,
    round_once,
)
from nnir.recipes.unary import is_nan
from nnir.types import Precision

from ...table import Table
from . import blend
from .unary import signbit, trunc

table = Table.merge([blend.table])


def scale_by(other: Operand, alpha: Number, precision: Precision) -> Operand:
    """`other * alpha`, in the precision that the sum will have."""
    if alpha == 1:
        return other
    if isinstance(other, Value):
        return binary.mul(*promote_to(precision, other, alpha))
    return other * alpha


def total(self: Operand, other: Operand, alpha: Number) -> Value:
    """self + alpha * other; of truth values, whether one of them holds."""
    precision = common_precision(self, other)
    operands = promote_to(precision, self, scale_by(other, alpha, precision))
    operator = logic.or_ if precision == Precision.BOOL8 else binary.add
    return operator(*operands)


def difference(self: Operand, other: Operand, alpha: Number) -> Value:
    """self - alpha * other."""
    precision = common_precision(self, other)
    return binary.sub(*promote_to(precision, self, scale_by(other, alpha, precision)))


@table.convert("aten.add.Tensor")
def add(self: Value, other: Operand, *, alpha: Number = 1) -> Value:
    return total(self, other, alpha)


@table.convert("aten.add.Scalar")
def add_scalar(self: Value, other: Operand, alpha: Number = 1) -> Value:
    return total(self, other, alpha)


@table.convert("aten.sub.Tensor")
def sub(self: Value, other: Operand, *, alpha: Number = 1) -> Value:
    return difference(self, other, alpha)


@table.convert("aten.sub.Scalar")
def sub_scalar(self: Value, other: Operand, alpha: Number = 1) -> Value:
    return difference(self, other, alpha)


@table.convert("aten.rsub.Tensor")
def rsub(self: Value, other: Operand, *, alpha: Number = 1) -> Value:
    return difference(other, self, alpha)


@table.convert("aten.rsub.Scalar")
def rsub_scalar(self: Value, other: Operand, alpha: Number = 1) -> Value:
    return difference(other, self, alpha)


def _divide_truncating(x: Value, y: Value) -> Value:
    return round_once(lambda x, y: trunc(x / y), x, y)


@table.convert("aten.mul.Tensor", "aten.mul.Scalar")
def mul(self: Value, other: Operand) -> Value:
    return binary_recipes.mul(self, other)


@table.convert("aten.div.Tensor", "aten.div.Scalar")
def div(self: Value, other: Operand) -> Value:
    if common_precision(self, other).is_float:
        return apply_promoted(binary.div, self, other)
    return binary.div(*promote_to_float(self, other))


@table.convert("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def div_mode(self: Value, other: Operand, *, rounding_mode: str | None) -> Value:
    match rounding_mode:
        case None:
            return div(self, other)
        case "floor":
            return apply_promoted(binary.floor_div, self, other)
        case "trunc":
            if not common_precision(self, other).is_float:
                return binary.div(*promote(self, other))
            return apply_promoted(_divide_truncating, self, other)
    raise Unsupported(f"div with rounding_mode={rounding_mode!r}")


@table.convert("aten.floor_divide.default", "aten.floor_divide.Scalar")
def floor_divide(self: Value, other: Operand) -> Value:
    return apply_promoted(binary.floor_div, self, other)


@table.convert("aten.fmod.Tensor", "aten.fmod.Scalar")
def fmod(self: Value, other: Operand) -> Value:
    return binary.mod(*promote(self, other), fmod=True)


@table.convert("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor")
def remainder(self: Operand, other: Operand) -> Value:
    return binary.mod(*promote(self, other))


POWERS: dict[Number, Operator] = {2: unary.square}
FLOAT_POWERS: dict[Number, Operator] = {
    0.5: unary.sqrt,
    -0.5: unary.rsqrt,
    -1: unary.reciprocal,
}
"""What PyTorch computes for some exponents that are numbers."""


@table.convert("aten.pow.Tensor_Scalar")
def pow_scalar(self: Value, exponent: Operand) -> Value:
    precision = common_precision(self, exponent)
    if not isinstance(exponent, Value):
        operator = POWERS.get(exponent)
        if operator is None and precision.is_float:
            operator = FLOAT_POWERS.get(exponent)
        if operator is not None and precision != Precision.BOOL8:
            return operator(*promote_to(precision, self))
    return binary.pow_(*promote(self, exponent))


@table.convert("aten.pow.Tensor_Tensor", "aten.pow.Scalar")
def pow_(self: Operand, exponent: Operand) -> Value:
    return binary.pow_(*promote(self, exponent))


@table.convert(
    *("aten.float_power.Tensor_Tensor", "aten.float_power.Tensor_Scalar"),
    "aten.float_power.Scalar",
)
def float_power(self: Operand, exponent: Operand) -> Value:
    is_complex = category(common_precision(self, exponent)) == 3
    wide = Precision.COMPLEX128 if is_complex else Precision.FLOAT64
    return binary.pow_(*promote_to(wide, self, exponent))


def larger(self: Operand, other: Operand) -> Value:
    """The larger of two, or the one that is NaN."""
    operands = promote(self, other)
    is_bool = operands[0].precision == Precision.BOOL8
    return (logic.or_ if is_bool else binary.max_)(*operands)


def smaller(self: Operand, other: Operand) -> Value:
    """The smaller of two, or the one that is NaN."""
    operands = promote(self, other)
    is_bool = operands[0].precision == Precision.BOOL8
    return (logic.and_ if is_bool else binary.min_)(*operands)


@table.convert("aten.maximum.default", "aten.max.other")
def maximum(self: Value, other: Operand) -> Value:
    return larger(self, other)


@table.convert("aten.minimum.default", "aten.min.other")
def minimum(self: Value, other: Operand) -> Value:
    return smaller(self, other)


def _without_nan(operator: Operator, x: Value, y: Value) -> Value:
    """The operator where both are numbers, else the one that is."""
    if not x.is_float:
        made: Value = operator(x, y)
    else:
        right = compare.where(is_nan(y), x, y)
        made = compare.where(is_nan(x), y, operator(x, right))
    return made


@table.convert("aten.fmax.default")
def fmax(self: Value, other: Operand) -> Value:
    if common_precision(self, other) == Precision.BOOL8:
        return larger(self, other)
    return _without_nan(binary.max_, *promote(self, other))


@table.convert("aten.fmin.default")
def fmin(self: Value, other: Operand) -> Value:
    if common_precision(self, other) == Precision.BOOL8:
        return smaller(self, other)
    return _without_nan(binary.min_, *promote(self, other))


@table.convert("aten.clamp.default", "aten.clamp.Tensor")
def clamp(self: Value, min: Operand | None = None, max: Operand | None = None) -> Value:
    if min is None:
        if max is None:
            raise Unsupported("clamp without bounds")
        return smaller(self, max)
    if max is None:
        return larger(self, min)
    x, low, high = promote(self, min, max)
    if low.rank == high.rank == 0:
        return activation.clip(x, low, high)
    return binary.min_(binary.max_(x, low), high)


@table.convert("aten.clamp_min.default", "aten.clamp_min.Tensor")
def clamp_min(self: Value, min: Operand) -> Value:
    return larger(self, min)


@table.convert("aten.clamp_max.default", "aten.clamp_max.Tensor")
def clamp_max(self: Value, max: Operand) -> Value:
    return smaller(self, max)


@table.convert("aten.atan2.default")
def atan2(self: Value, other: Operand) -> Value:
    return binary.atan2(*promote_to_float(self, other))


@table.convert("aten.hypot.default")
def hypot(self: Value, other: Operand) -> Value:
    return binary.hypot(*promote(self, other))


@table.convert("aten.nextafter.default")
def nextafter(self: Value, other: Operand) -> Value:
    return binary.next_after(*promote(self, other))


@table.convert("aten.copysign.Tensor", "aten.copysign.Scalar")
def copysign(self: Value, other: Operand) -> Value:
    x, y = promote_to_float(self, other)
    size = abs(x)
    return compare.where(signbit(y), -size, size)


@table.convert("aten.ldexp.Tensor")
def ldexp(self: Value, other: Value) -> Value:
    if self.is_float and other.is_integer:
        return _by_power_of_two(self, other)
    power = common_precision(2.0, other)
    return binary.mul(*promote(self, binary.pow_(*promote_to(power, 2.0, other))))


def _by_power_of_two(x: Value, exponent: Value) -> Value:
    """A float times 2 to a whole number: rounded once, and no overflow on the way."""
    wide = exponent.cast(Precision.FLOAT64)
    if x.precision != Precision.FLOAT64:  # beyond this the result is 0 or infinite
        wide = activation.clip(wide, -1000, 1000)
    power = 2**wide
    return (x.cast(Precision.FLOAT64) * power).cast(x.precision)


@table.convert("aten.heaviside.default")
def heaviside(self: Value, values: Value) -> Value:
    x, at_zero = promote(self, values)
    if x.precision == Precision.BOOL8:
        return x | at_zero
    zero = x.scalar(0)
    step = unary.cast(x > zero, dtype=x.precision)
    return compare.where(compare.equal(x, zero), at_zero, step)


@table.convert("aten.gcd.default")
def gcd(self: Value, other: Operand) -> Value:
    return binary.gcd(*promote(self, other))


@table.convert("aten.lcm.default")
def lcm(self: Value, other: Operand) -> Value:
    x, y = promote(self, other)
    kind = x.precision
    if kind.dtype.itemsize < 4:  # the product is one of 32 bits, as in C
        x, y = x.cast(Precision.INT32), y.cast(Precision.INT32)
    divisor = binary.gcd(x, y)
    quotient = x / binary.max_(divisor, 1)
    return abs(quotient * y).cast(kind)


def _log_sum(x: Value, y: Value, base: float) -> Value:
    """The logarithm of base**x + base**y; equal ones, infinities too, have no difference."""
    high, distance = binary.max_(x, y), -abs(x - y)
    if base == 2:
        power = 2**distance
        rest = unary.log1p(power) * (1 / math.log(2))
    else:
        rest = unary.log1p(unary.exp(distance))
    doubled = x + math.log(2) / math.log(base)
    return compare.where(compare.equal(x, y), doubled, high + rest)


@table.convert("aten.logaddexp.default")
def logaddexp(self: Value, other: Operand) -> Value:
    return round_once(lambda x, y: _log_sum(x, y, math.e), *promote_to_float(self, other))


@table.convert("aten.logaddexp2.default")
def logaddexp2(self: Value, other: Operand) -> Value:
    return round_once(lambda x, y: _log_sum(x, y, 2), *promote_to_float(self, other))


def _times_log(log: Operator, self: Operand, other: Operand) -> Value:
    """self * log(other), 0 where self is 0 and other is not NaN."""

    def body(x: Value, y: Value) -> Value:
        zero = x.scalar(0)
        nothing = compare.equal(x, zero) & compare.equal(y, y)
        return compare.where(nothing, zero, x * log(y))

    return round_once(body, *promote_to_float(self, other))


@table.convert(
    *("aten.xlogy.Tensor", "aten.xlogy.Scalar_Other", "aten.xlogy.Scalar_Self"),
    *("aten.special_xlogy.default", "aten.special_xlogy.other_scalar"),
    "aten.special_xlogy.self_scalar",
)
def xlogy(self: Operand, other: Operand) -> Value:
    return _times_log(unary.log, self, other)


@table.convert(
    *("aten.special_xlog1py.default", "aten.special_xlog1py.other_scalar"),
    "aten.special_xlog1py.self_scalar",
)
def xlog1py(self: Operand, other: Operand) -> Value:
    return _times_log(unary.log1p, self, other)


@table.convert("aten.isclose.default")
def isclose(
    self: Value,
    other: Operand,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Value:
    if rtol < 0 or atol < 0:
        raise BadType(f"isclose with rtol={rtol!r} and atol={atol!r}")
    x, y = promote(self, other)
    same = compare.equal(x, y)
    if equal_nan and x.is_float:
        same = same | is_nan(x) & is_nan(y)
    if rtol == 0 and atol == 0:
        return same
    x, y = promote_to(x.precision if x.is_float else DEFAULT_FLOAT, x, y)
    distance = abs(x - y)
    allowed = abs(y * rtol) + atol
    finite = distance < math.inf
    return same | finite & (distance <= allowed)
