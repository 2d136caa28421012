"""Operators of one element, or of two that broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import NoLowering
from ..elements import TYPES, Type
from ..graph import End, Output
from ..operands import Line, Number, Real, Truth
from ..schema import Capitals, Table
from ..shapes import broadcast
from ..values import INTERVALS, move, subtract_bounds

table = Table()
BOOLEAN, I64 = TYPES["boolean"], TYPES["i64"]
EXACT = Capitals("ERF")


def same_type(what: str, *operands: Output) -> Type:
    """The element type that all have; NoLowering where they differ."""
    names = {o.type.name for o in operands}
    if len(names) > 1:
        raise NoLowering(f"openvino: {what} of {' and '.join(sorted(names))}, not of one type")
    return operands[0].type


def _function(name: str, value: Any = None) -> None:
    @table.kind(name, value=value)
    def rule(data: Number) -> End:
        return data.type, data.shape


for _name, _value in {"Abs": np.abs, "Negative": np.negative, "Sqrt": np.sqrt}.items():
    _function(_name, _value)
for _name, _step in {"Ceiling": np.ceil, "Floor": np.floor, "Sign": np.sign}.items():
    _function(_name, _step)
    INTERVALS[_step] = move


@table.kind("Acos", "Asin", "Atan", "Cos", "Cosh", "Erf", "Exp", "Log", "Relu", "Sigmoid", "Sin")
@table.kind("Sinh", "Tan", "Tanh")
@table.kind("Acosh", "Asinh", "Atanh", since=4)
def alike(data: Number) -> End:
    return data.type, data.shape


@table.kind("HSwish", "Swish", since=4)
@table.kind("HSigmoid", since=5)
def alike_real(data: Real) -> End:
    return data.type, data.shape


@table.kind("BitwiseNot", since=13)
def bits(data: Output) -> End:
    if data.type.is_real:
        raise NoLowering(f"openvino has no bits of {data.type.name}")
    return data.type, data.shape


@table.kind("LogicalNot", value=lambda x: 1 - x)
def opposite(data: Truth) -> End:
    return data.type, data.shape


@table.kind("IsNaN", since=10)
def test(data: Real) -> End:
    return BOOLEAN, data.shape


@table.kind("Clamp")
def clamp(data: Number, *, min: float, max: float) -> End:
    if min > max:
        raise NoLowering(f"openvino: Clamp between {min} and {max}")
    return data.type, data.shape


@table.kind("Gelu", since=7)
def gelu(data: Real, *, approximation_mode: Capitals = EXACT) -> End:
    return data.type, data.shape


@table.kind("Round", since=5)
def round_(data: Output, *, mode: str = "half_to_even") -> End:
    return data.type, data.shape


@table.kind("PRelu")
def prelu(data: Output, slope: Output) -> End:
    return same_type("PRelu", data, slope), data.shape


def _convert(data: np.ndarray, *, destination_type: Type) -> np.ndarray:
    return data if destination_type.is_real else np.trunc(data)


@table.kind("Convert", value=_convert)
def convert(data: Output, *, destination_type: Type) -> End:
    return destination_type, data.shape


def _pair(a: Output, b: Output, what: str, auto_broadcast: str) -> End:
    if auto_broadcast != "numpy" and a.shape != b.shape:
        raise NoLowering(f"openvino: {what} of {a.shape} and {b.shape} without broadcasting")
    return same_type(what, a, b), broadcast(a.shape, b.shape, f"operands of {what}")


def _arithmetic(name: str, since: int = 1, value: Any = None) -> None:
    @table.kind(name, since=since, value=value)
    def rule(a: Number, b: Number, *, auto_broadcast: str = "numpy") -> End:
        return _pair(a, b, name, auto_broadcast)


def _comparison(name: str, value: Any = None) -> None:
    @table.kind(name, value=value)
    def rule(a: Output, b: Output, *, auto_broadcast: str = "numpy") -> End:
        return BOOLEAN, _pair(a, b, name, auto_broadcast)[1]


def _logical(name: str, since: int = 1, value: Any = None) -> None:
    @table.kind(name, since=since, value=value)
    def rule(a: Truth, b: Truth, *, auto_broadcast: str = "numpy") -> End:
        return _pair(a, b, name, auto_broadcast)


def _bitwise(name: str, since: int) -> None:
    @table.kind(name, since=since)
    def rule(a: Output, b: Output, *, auto_broadcast: str = "numpy") -> End:
        if a.type.is_real:
            raise NoLowering(f"openvino has no {name} of {a.type.name}")
        return _pair(a, b, name, auto_broadcast)


def _sum(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str) -> Any:
    return a + b


def _difference(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str) -> Any:
    return a - b


def _product(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str) -> Any:
    made = a * b
    return np.where(np.isnan(made), 0, made)


def _larger(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str) -> Any:
    return np.maximum(a, b)


def _smaller(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str) -> Any:
    return np.minimum(a, b)


_arithmetic("Add", value=_sum)
_arithmetic("Subtract", value=_difference)
_arithmetic("Multiply", value=_product)
_arithmetic("Maximum", value=_larger)
_arithmetic("Minimum", value=_smaller)
_arithmetic("Power")
_comparison("Equal", lambda a, b, **_: a == b)
_comparison("NotEqual", lambda a, b, **_: a != b)
_comparison("Less", lambda a, b, **_: a < b)
_comparison("LessEqual", lambda a, b, **_: a <= b)
_logical("LogicalAnd", value=lambda a, b, **_: np.logical_and(a, b))
_logical("LogicalOr", value=lambda a, b, **_: np.logical_or(a, b))
_logical("LogicalXor", 2, value=lambda a, b, **_: np.logical_xor(a, b))
for _name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    _bitwise(_name, 13)
for _name in ("BitwiseLeftShift", "BitwiseRightShift"):
    _bitwise(_name, 15)


def _quotient(a: np.ndarray, b: np.ndarray, *, auto_broadcast: str, m_pythondiv: bool) -> Any:
    whole = (a == np.trunc(a)).all() and (b == np.trunc(b)).all()
    if not whole:
        return a / b
    return np.floor(a / b) if m_pythondiv else np.trunc(a / b)


@table.kind("Divide", value=_quotient)
def divide(a: Output, b: Output, *, auto_broadcast: str = "numpy", m_pythondiv: bool = True) -> End:
    return _pair(a, b, "Divide", auto_broadcast)


@table.kind("Select", value=lambda c, a, b, **_: np.where(c, a, b))
def select(mask: Truth, yes: Output, no: Output, *, auto_broadcast: str = "numpy") -> End:
    kind = same_type("Select", yes, no)
    both = broadcast(yes.shape, no.shape, "operands of Select")
    return kind, broadcast(mask.shape, both, "operands of Select")


@table.kind("Bucketize", since=3)
def bucketize(
    data: Number, buckets: Line, *, output_type: Type = I64, with_right_bound: bool = True
) -> End:
    return output_type, data.shape


INTERVALS.update(dict.fromkeys((_convert, _sum, _product, _larger, _smaller), move))
INTERVALS.update({_difference: subtract_bounds, _quotient: subtract_bounds})
