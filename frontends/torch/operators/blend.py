"""ATen arithmetic on three operands: sums with products, and interpolation."""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import compare
from nnir.recipes.promotion import Number, category, common_precision, promote, round_once, to_value

from ...table import Table

table = Table()


@table.convert("aten.addcmul.default")
def addcmul(self: Value, tensor1: Value, tensor2: Value, *, value: Number = 1) -> Value:
    def body(x: Value, a: Value, b: Value) -> Value:
        if value != 1:
            a = to_value(value, x.precision, x.model) * a
        return x + a * b

    return round_once(body, *promote(self, tensor1, tensor2))


@table.convert("aten.addcdiv.default")
def addcdiv(self: Value, tensor1: Value, tensor2: Value, *, value: Number = 1) -> Value:
    if category(common_precision(tensor1, tensor2)) < 2:
        raise Unsupported("addcdiv of integers")

    def body(x: Value, a: Value, b: Value) -> Value:
        if value != 1:
            a = a * to_value(value, x.precision, x.model)
        return x + a / b

    return round_once(body, *promote(self, tensor1, tensor2))


def _from_start(start: Value, end: Value, weight: Value) -> Value:
    return start + weight * (end - start)


def _from_end(start: Value, end: Value, weight: Value) -> Value:
    rest = 1 - weight
    return end - (end - start) * rest


@table.convert("aten.lerp.Scalar")
def lerp_scalar(self: Value, end: Value, weight: Number) -> Value:
    if isinstance(weight, complex):
        raise Unsupported(f"lerp with weight={weight!r}")
    body = _from_start if abs(weight) < 0.5 else _from_end
    return round_once(lambda a, b: body(a, b, a.scalar(weight)), self, end)


@table.convert("aten.lerp.Tensor")
def lerp(self: Value, end: Value, weight: Value) -> Value:
    def body(a: Value, b: Value, w: Value) -> Value:
        low = abs(w) < 0.5
        return compare.where(low, _from_start(a, b, w), _from_end(a, b, w))

    return round_once(body, self, end, weight)
