"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

import functools

import numpy as np

from nnir.model import Value
from nnir.ops import binary
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Operand, Ref

table = Lowerings[Ref]()
table.fuse(Emitter.fused)


table.natives(
    {
        binary.add: "Add",
        binary.max_: "Max",
        binary.min_: "Min",
        binary.mul: "Mul",
        binary.sub: "Sub",
    }
)


@table.lower(binary.sum_)
def sum_(g: Emitter, *input: Value) -> Ref:
    if input[0].is_float:
        return g.node("Sum", *input)
    return functools.reduce(lambda a, b: g.node("Add", a, b), map(g.take, input))


def to_signed_order(g: Emitter, input: Operand) -> Ref:
    """UINT64 in the same order as INT64."""
    top = g.constant(1 << 63, np.uint64)
    return g.cast(g.node("BitwiseXor", input, top), Precision.INT64)


def from_signed_order(g: Emitter, ordered: Operand) -> Ref:
    """The inverse of `to_signed_order`."""
    top = g.constant(1 << 63, np.uint64)
    made: Ref = g.node("BitwiseXor", g.cast(ordered, Precision.UINT64), top)
    return made


def _by(g: Emitter, input1: Value) -> Operand:
    """The divisor of integers, with 1 for 0 and -1: by 0 the processor ends the process, as it
    does with the least number by -1."""
    if input1.is_float or (input1.constant is not None and _is_harmless(input1.constant)):
        return input1
    bad = _equals(g, input1, 0)
    if input1.dtype.kind == "i":
        bad = g.node("Or", bad, _equals(g, input1, -1))
    return g.where(bad, g.number(1, input1), input1)


def _is_harmless(divisors: np.ndarray) -> bool:
    return bool(divisors.all()) and not (divisors.dtype.kind == "i" and (divisors == -1).any())


def _equals(g: Emitter, input: Value | Ref, value: int) -> Ref:
    made: Ref = g.node("Equal", input, g.number(value, input))
    return made


def _quotient(g: Emitter, by_one: Ref, input1: Value, by: Operand) -> Ref:
    """The quotient where `_by` has put 1: nothing by 0, and by -1 the opposite, which wraps."""
    if by is input1:
        return by_one
    if input1.dtype.kind == "i":
        opposite = g.node("Sub", g.number(0, by_one), by_one)
        by_one = g.where(_equals(g, input1, -1), opposite, by_one)
    return _nothing_by_zero(g, by_one, input1, by)


def _nothing_by_zero(g: Emitter, result: Ref, input1: Value, by: Operand) -> Ref:
    if by is input1:
        return result
    return g.where(_equals(g, input1, 0), g.number(0, result), result)


@table.lower(binary.div)
def div(g: Emitter, input0: Value, input1: Value) -> Ref:
    by = _by(g, input1)
    return _quotient(g, g.node("Div", input0, by), input1, by)


@table.lower(binary.floor_div)
def floor_div(g: Emitter, input0: Value, input1: Value) -> Ref:
    by = _by(g, input1)
    quotient = g.node("Div", input0, by)
    if input0.is_float:  # the remainder is exact, the quotient is not: 1 by 0.1 is 9
        rest = _floor_mod(g, input0, by)
        whole = g.node("Round", g.node("Div", g.node("Sub", input0, rest), by))
        return g.where(_equals(g, input1, 0), quotient, whole)
    if input0.dtype.kind == "i":
        rest = g.node("Sub", input0, g.node("Mul", quotient, by))
        quotient = g.node("Sub", quotient, g.cast(_differs(g, rest, by), input0.precision))
    return _quotient(g, quotient, input1, by)


def _differs(g: Emitter, rest: Ref, by: Operand) -> Ref:
    """Whether a remainder is not 0 and has another sign than the divisor."""
    zero = g.number(0, rest)
    some = g.node("Not", g.node("Equal", rest, zero))
    signs = [g.node("Less", v, zero) for v in (rest, by)]
    made: Ref = g.node("And", some, g.node("Xor", *signs))
    return made


def _floor_mod(g: Emitter, input0: Value, by: Operand) -> Ref:
    """The remainder of floats with the sign of the divisor."""
    rest = g.node("Mod", input0, by, fmod=1)
    return g.where(_differs(g, rest, by), g.node("Add", rest, by), rest)


@table.lower(binary.mod)
def mod(g: Emitter, input0: Value, input1: Value, *, fmod: bool) -> Ref:
    by = _by(g, input1)
    if input0.is_float and not fmod:
        return _floor_mod(g, input0, by)
    return _nothing_by_zero(g, g.node("Mod", input0, by, fmod=fmod), input1, by)


@table.lower(binary.pow_)
def pow_(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.is_float:
        return g.node("Pow", input0, input1)
    return _integer_power(g, input0, input1)


def _integer_power(g: Emitter, base: Value, exponent: Value) -> Ref:
    """Squaring and multiplying; ONNX Runtime's own Pow goes through float64.

    Six bits of the exponent: beyond 63 nothing but 0, 1 and -1 has a power that fits.
    """
    one, two = g.number(1, base), g.number(2, base)
    zero = g.number(0, base)
    left: Operand = g.node("Max", exponent, zero)
    result, power = g.node("Mul", base, zero), g.node("Add", base, zero)
    result = g.node("Add", g.node("Mul", result, left), one)
    for _ in range(6):
        odd = g.node("Equal", g.node("Mod", left, two), one)
        result = g.where(odd, g.node("Mul", result, power), result)
        left, power = g.node("Div", left, two), g.node("Mul", power, power)
    if base.dtype.kind == "u":
        return result
    below = g.node("Less", exponent, zero)
    unit = g.node("Equal", g.node("Abs", base), one)
    even = g.node("Mod", exponent, two)
    is_even = g.node("Equal", even, zero)
    sign = g.where(is_even, one, g.node("Mul", base, one))
    return g.where(below, g.where(unit, sign, zero), result)
