"""TensorFlow's arithmetic on two tensors of one type."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import binary, compare, unary
from nnir.recipes.binary import floor_of_quotient

from ...table import Items, Table

table = Table()
table.same(
    {
        "Add": binary.add,
        "AddV2": binary.add,
        "Atan2": binary.atan2,
        "Maximum": binary.max_,
        "Minimum": binary.min_,
        "Mul": binary.mul,
        "NextAfter": binary.next_after,
        "Pow": binary.pow_,
        "RealDiv": binary.div,
        "Sub": binary.sub,
    }
)


@table.convert("Div")
def div(x: Value, y: Value) -> Value:
    return x / y  # of integers, towards zero


@table.convert("TruncateDiv")
def truncate_div(x: Value, y: Value) -> Value:
    quotient = x / y
    if not quotient.is_float:
        return quotient
    is_below = quotient < 0
    return compare.where(is_below, unary.ceil(quotient), unary.floor(quotient))


table.convert("FloorDiv")(floor_of_quotient)


@table.convert("FloorMod")
def floor_mod(x: Value, y: Value) -> Value:
    return x % y


@table.convert("Mod", "TruncateMod")
def truncate_mod(x: Value, y: Value) -> Value:
    return binary.mod(x, y, fmod=True)


def _or_zero(x: Value, y: Value, result: Value) -> Value:
    """The result, or 0 where `y` is 0 whatever `x` is."""
    return compare.where(compare.equal(y, 0), 0, result)


@table.convert("DivNoNan")
def div_no_nan(x: Value, y: Value) -> Value:
    return _or_zero(x, y, x / y)


@table.convert("MulNoNan")
def mul_no_nan(x: Value, y: Value) -> Value:
    return _or_zero(x, y, x * y)


@table.convert("SquaredDifference")
def squared_difference(x: Value, y: Value) -> Value:
    return unary.square(x - y)


def _times(x: Value, y: Value) -> Value:
    """x * y, and 0 where x is 0 whatever y is."""
    return _or_zero(x, x, x * y)


@table.convert("Xlogy")
def xlogy(x: Value, y: Value) -> Value:
    return _times(x, unary.log(y))


@table.convert("Xlog1py")
def xlog1py(x: Value, y: Value) -> Value:
    return _times(x, unary.log1p(y))


@table.convert("Xdivy")
def xdivy(x: Value, y: Value) -> Value:
    return _or_zero(x, x, x / y)


@table.convert("AddN")
def add_n(inputs: Items) -> Value:
    if not inputs:
        raise BadType("AddN of nothing")
    return binary.sum_(*inputs) if len(inputs) > 1 else inputs[0]
