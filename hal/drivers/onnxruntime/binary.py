"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

import functools

import numpy as np

from nnir.broadcast import broadcast
from nnir.model import Model, Value
from nnir.ops import binary, compare, reduce, unary
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


SIGNED = {Precision.UINT32: Precision.INT32, Precision.UINT64: Precision.INT64}


def to_signed_order(g: Emitter, input: Value | Ref) -> Ref:
    """UINT32 or UINT64 in the same order as signed integers."""
    return g.cast(_flip_top(g, input), SIGNED[input.precision])


def from_signed_order(g: Emitter, ordered: Ref, precision: Precision) -> Ref:
    """The inverse of `to_signed_order`."""
    return _flip_top(g, g.cast(ordered, precision))


def _flip_top(g: Emitter, input: Value | Ref) -> Ref:
    dtype = input.precision.dtype
    made: Ref = g.node("BitwiseXor", input, g.constant(1 << 8 * dtype.itemsize - 1, dtype))
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


def _equals(g: Emitter, input: Value | Ref, value: float) -> Ref:
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
        beyond = _equals(g, g.node("Abs", rest), np.inf)  # by an infinity of the other sign
        whole = g.where(beyond, g.number(-1, whole), whole)
        return g.where(_equals(g, input1, 0), quotient, whole)
    if input0.dtype.kind == "i":
        rest = _rest(g, input0, by)
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
    if input0.is_float:
        return g.node("Mod", input0, by, fmod=1) if fmod else _floor_mod(g, input0, by)
    rest = _rest(g, input0, by) if fmod else g.node("Mod", input0, by, fmod=0)
    return _nothing_by_zero(g, rest, input1, by)


def _rest(g: Emitter, input0: Value, by: Operand) -> Ref:
    """What a division of integers leaves; ONNX Runtime's own fmod goes through float64."""
    made: Ref = g.node("Sub", input0, g.node("Mul", g.node("Div", input0, by), by))
    return made


@table.lower(binary.pow_)
def pow_(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.is_float:
        return g.node("Pow", input0, input1)
    return _integer_power(g, input0, input1)


def _integer_power(g: Emitter, base: Value, exponent: Value) -> Ref:
    """Squaring and multiplying; ONNX Runtime's own Pow goes through float64."""
    one, zero = g.number(1, base), g.number(0, base)
    left = g.node("Max", exponent, zero)
    ones = g.node("Add", g.node("Mul", g.node("Mul", base, zero), left), one)
    result = g.node(
        "Loop",
        None,
        g.constant(True),
        left,
        ones,
        base,
        outputs=3,
        precision=base.precision,
        body=g.loop_body(_squaring(base, exponent), 3, ()),
    )[1]
    result = Ref(result, base.precision)
    is_even = _equals(g, g.node("Mod", exponent, g.number(2, base)), 0)
    is_unit = _equals(g, g.node("Abs", base), 1)
    reciprocal = g.where(is_unit, g.where(is_even, one, base), zero)
    return g.where(g.node("Less", exponent, zero), reciprocal, result)


def _squaring(base: Value, exponent: Value) -> Model:
    """A step of a loop, while some exponent is left: the product takes the square, or not."""
    body = Model("power")
    left = body.input("left", exponent.type)
    shape = broadcast(base.shape, exponent.shape)
    product = body.input("product", base.type.with_shape(shape))
    square = body.input("square", base.type)
    count = reduce.reduce_sum(unary.cast(left > 1, dtype=Precision.INT64), [], keepdim=False)
    taken = compare.where(compare.equal(left % 2, 1), product * square, product)
    body.outputs = [count > 0, left // 2, taken, square * square]
    return body
