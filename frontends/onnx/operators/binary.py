"""ONNX elementwise arithmetic on two tensors."""

from __future__ import annotations

import functools

import numpy as np

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import binary, shape, unary
from nnir.types import Precision

from ...table import Table

table = Table()


def align_operand(a: Value, b: Value, axis: int | None, *, broadcast: bool) -> Value:
    """`b` as opsets before 7 lay it over `a`: at its end, or from `axis` on."""
    if not broadcast:
        known = not any(isinstance(d, Expr) for d in (*a.shape, *b.shape))
        if a.rank != b.rank or (known and a.shape != b.shape):
            raise BadType(f"{a.type} and {b.type} differ, and broadcast=0")
        return b
    if axis is None:
        return b
    start = axis_of(axis, a.rank, extra=1 if axis >= 0 else 0)
    after = a.rank - start - b.rank
    if after < 0:
        raise BadType(f"{b.type} from axis {axis} of {a.type}")
    return shape.unsqueeze(b, list(range(b.rank, b.rank + after))) if after else b


def broadcasting(table: Table, name: str, operator: Operator) -> None:
    """The versions of an operator on two tensors: before opset 7 broadcasting is explicit."""

    @table.convert(name)
    def old(
        a: Value,
        b: Value,
        *,
        axis: int | None = None,
        broadcast: bool = False,
        consumed_inputs: tuple[int, ...] = (),
    ) -> Value:
        return convert(a, align_operand(a, b, axis, broadcast=broadcast))

    @table.convert(name, since=7)
    def convert(a: Value, b: Value) -> Value:
        return operator(a, b)


for _name, _operator in {
    "Add": binary.add,
    "Div": binary.div,
    "Mul": binary.mul,
    "Sub": binary.sub,
}.items():
    broadcasting(table, _name, _operator)


@table.convert("Pow")
def pow_1(x: Value, y: Value, *, axis: int | None = None, broadcast: bool = False) -> Value:
    return pow_(x, align_operand(x, y, axis, broadcast=broadcast))


@table.convert("Pow", since=7)
def pow_(x: Value, y: Value) -> Value:
    common = _common(x, y)
    power = x.cast(common) ** y.cast(common)
    return power.cast(x.precision)


def _common(x: Value, y: Value) -> Precision:
    """A type that holds base and exponent, wide enough that the power is rounded once."""
    if x.precision == y.precision or _holds(x, y):
        return x.precision
    if x.is_integer and y.is_integer:
        unsigned = Precision.UINT64 in (x.precision, y.precision)
        return Precision.UINT64 if unsigned else Precision.INT64
    return Precision.FLOAT64


def _holds(x: Value, y: Value) -> bool:
    """Whether y is a constant that the type of x holds exactly, such as the 2 of a square."""
    if y.constant is None or not x.is_float:
        return False
    return bool((y.constant.astype(x.dtype).astype(np.float64) == y.constant).all())


@table.convert("Mod", since=10)
def mod(a: Value, b: Value, *, fmod: bool = False) -> Value:
    return binary.mod(a, b, fmod=fmod)


def _variadic(name: str, operator: Operator) -> None:
    @table.convert(name)
    def old(*data: Value, consumed_inputs: tuple[int, ...] = ()) -> Value:
        return convert(*data)

    @table.convert(name, since=6)
    def convert(*data: Value) -> Value:
        if not data:
            raise BadType(f"{name} without inputs")
        if len(data) == 1:
            return unary.assign(data[0])
        return functools.reduce(operator, data)


_variadic("Max", binary.max_)
_variadic("Min", binary.min_)


@table.convert("Sum")
def sum_1(*data: Value, consumed_inputs: tuple[int, ...] = ()) -> Value:
    if not data:
        raise BadType("Sum without inputs")
    return binary.sum_(*data)


@table.convert("Mean")
def mean(*data: Value, consumed_inputs: tuple[int, ...] = ()) -> Value:
    total = sum_1(*data)
    return total / len(data)
