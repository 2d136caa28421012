"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

import functools

import numpy as np

from nnir.broadcast import broadcast
from nnir.model import Model, Value
from nnir.ops import binary, compare, reduce, unary
from nnir.types import Precision

from ...lowering import Lowerings
from ...quirks import report_met
from .emitter import Emitter, Ref, Taken
from .quirks import is_half, quirk_of_half

table = Lowerings[Ref]()
table.fuse(Emitter.fused)


table.natives(
    {
        binary.add: "Add",
        binary.max_: "Max",
        binary.min_: "Min",
        binary.sub: "Sub",
    }
)


@table.lower(binary.mul)
def mul(g: Emitter, input0: Value, input1: Value) -> Ref:
    x = input0 if is_half(input1) else input1 if is_half(input0) else None
    quirk = None if x is None else quirk_of_half(x, g.operation.outputs[0])
    if x is None or quirk is None:
        return g.node("Mul", input0, input1)
    report_met(quirk)
    return g.take(x) / 2


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


def _by(g: Emitter, input1: Value) -> Ref:
    """The divisor of integers, with 1 for 0 and -1: by 0 the processor ends the process, as it
    does with the least number by -1."""
    given = g.take(input1)
    known = input1.constant
    if input1.is_float or (known is not None and _is_harmless(known)) or _is_bounded(input1):
        return given
    bad = given.equal(0)
    return g.where(bad | given.equal(-1) if input1.dtype.kind == "i" else bad, 1, given)


def _is_harmless(divisors: np.ndarray) -> bool:
    return bool(divisors.all()) and not (divisors.dtype.kind == "i" and (divisors == -1).any())


def _is_bounded(divisor: Value) -> bool:
    """Whether it is the larger one of something and a constant above 0."""
    maker = divisor.producer
    bounds = maker.inputs if maker is not None and maker.operator is binary.max_ else ()
    return any(v is not None and v.constant is not None and (v.constant > 0).all() for v in bounds)


def _quotient(g: Emitter, by_one: Ref, y: Ref, by: Ref) -> Ref:
    """The quotient where `_by` has put 1: nothing by 0, and by -1 the opposite, which wraps."""
    if by is not y and y.precision.dtype.kind == "i":
        by_one = g.where(y.equal(-1), 0 - by_one, by_one)
    return _nothing_by_zero(g, by_one, y, by)


def _nothing_by_zero(g: Emitter, result: Ref, y: Ref, by: Ref) -> Ref:
    return result if by is y else g.where(y.equal(0), 0, result)


@table.lower(binary.div)
def div(g: Emitter, input0: Taken, input1: Value) -> Ref:
    by = _by(g, input1)
    return _quotient(g, input0 / by, g.take(input1), by)


@table.lower(binary.floor_div)
def floor_div(g: Emitter, input0: Value, input1: Value) -> Ref:
    x, y, by = g.take(input0), g.take(input1), _by(g, input1)
    quotient = x / by
    if input0.is_float:  # the remainder is exact, the quotient is not: 1 by 0.1 is 9
        rest = _floor_mod(g, x, by)
        whole = g.node("Round", (x - rest) / by)
        whole = g.where(abs(rest).equal(np.inf), -1, whole)  # by an infinity of the other sign
        return g.where(y.equal(0), quotient, whole)
    if input0.dtype.kind == "i":
        quotient = quotient - _differs(x - quotient * by, by).cast(input0.precision)
    return _quotient(g, quotient, y, by)


def _differs(rest: Ref, by: Ref) -> Ref:
    """Whether a remainder is not 0 and has another sign than the divisor."""
    return rest.unequal(0) & ((rest < 0) ^ (by < 0))


def _floor_mod(g: Emitter, x: Ref, by: Ref) -> Ref:
    """The remainder of floats with the sign of the divisor."""
    rest = g.node("Mod", x, by, fmod=1)
    return g.where(_differs(rest, by), rest + by, rest)


@table.lower(binary.mod)
def mod(g: Emitter, input0: Value, input1: Value, *, fmod: bool) -> Ref:
    x, by = g.take(input0), _by(g, input1)
    if input0.is_float:
        return g.node("Mod", x, by, fmod=1) if fmod else _floor_mod(g, x, by)
    rest = x - x / by * by if fmod else x % by  # its own fmod of integers goes through float64
    return _nothing_by_zero(g, rest, g.take(input1), by)


@table.lower(binary.pow_)
def pow_(g: Emitter, input0: Value, input1: Value) -> Ref:
    """Of integers squaring and multiplying: ONNX Runtime's own Pow goes through float64."""
    base, exponent = g.take(input0), g.take(input1)
    if input0.is_float:
        return g.node("Pow", base, exponent)
    left = g.node("Max", exponent, g.number(0, exponent))
    result = g.node(
        "Loop",
        *(None, g.constant(True), left, base * 0 * left + 1, base),
        outputs=3,
        precision=base.precision,
        body=g.loop_body(_squaring(input0, input1), 3, ()),
    )[1].seen_as(base.precision)
    unit = g.where((exponent % 2).equal(0), 1, base)
    return g.where(exponent < 0, g.where(abs(base).equal(1), unit, 0), result)


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
