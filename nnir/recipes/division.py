"""Quotients, remainders and powers for devices that have them of fewer types."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add, mul

from ..decompositions.conv import ACTIVATIONS
from ..decompositions.real import real
from ..errors import Unsupported
from ..model import Value
from ..ops import compare, unary
from ..types import Fuse, Precision

MOST_PRODUCTS = 64
"""Powers from there on are no products."""


def activate_result(function: Callable[..., Value]) -> Callable[..., Value]:
    """Decorator: the activation of a fuse code behind a result."""

    def call(*inputs: Value, fuse_code: Fuse = Fuse.NONE) -> Value:
        result = function(*inputs)
        return ACTIVATIONS[fuse_code](result) if fuse_code in ACTIVATIONS else result

    return call


@activate_result
def floor_by_number(input0: Value, input1: Value) -> Value:
    """FLOOR_DIV of INT64 by one known number, without a division.

    Less its remainder, a number is a product with the inverse of the odd part modulo 2**64.
    """
    number = _number_beside(input0, input1)
    if input0.precision != Precision.INT64 or not number or -number == 1 << 63:
        raise Unsupported(f"{input0.type} divided by {input1.type}, which is not one known number")
    size = abs(number)
    if size == 1:
        return input0 if number == 1 else -input0
    shift = (size & -size).bit_length() - 1
    inverse = pow(size >> shift, -1, 1 << 64)
    whole = input0
    if inverse != 1:
        whole = (input0 - input0 % size) * (inverse - (inverse >> 63 << 64))
    down = _shift_down(whole, shift) if shift else whole
    if number > 0:
        return down
    return -down - compare.not_equal(input0 % size, 0).cast(Precision.INT64)


def _number_beside(input0: Value, input1: Value) -> int | None:
    """The integer that all elements of the second operand are; None where it is not known."""
    known = input1.known
    is_one = known is not None and known.size == 1 and input1.rank <= input0.rank
    if known is None or not is_one or not input1.is_integer:
        return None
    return int(known.item())


def _shift_down(x: Value, count: int) -> Value:
    """INT64 by 2**count, rounded down: by 24 bits, which FLOAT32 holds, the upper ones with a sign.

    A cast drops what is behind the point.
    """
    most, least = x % (1 << 48), x % (1 << 24)
    parts = [x - most, *((most - least,) if count < 48 else ()), *((least,) if count < 24 else ())]
    scaled = [p.cast(Precision.FLOAT32) * 2.0**-count for p in parts]
    if count > 48:
        scaled = [unary.floor(scaled[0])]
    return reduce(add, [p.cast(Precision.INT64) for p in scaled])


@activate_result
def truncate_floor(input0: Value, input1: Value) -> Value:
    """DIV of integers by FLOOR_DIV: one more where that leaves something of a quotient below 0."""
    if not input0.is_integer:
        raise Unsupported(f"a quotient of {input0.type} towards zero")
    down = input0 // input1
    is_more = compare.not_equal(down * input1, input0) & (down < 0)
    return down + is_more.cast(input0.precision)


@activate_result
@real(double=True)
def floor_by_remainder(input0: Value, input1: Value) -> Value:
    """FLOOR_DIV of floats: the remainder is exact, the quotient is not: 1 by 0.1 is 9."""
    rest = input0 % input1
    whole = unary.round_((input0 - rest) / input1)
    is_beyond = compare.equal(abs(rest), float("inf"))  # by an infinity of the other sign
    found = compare.where(is_beyond, input0.scalar(-1), whole)
    return compare.where(compare.equal(input1, 0), input0 / input1, found)


def remainder_as_in_c(input0: Value, input1: Value, *, fmod: bool) -> Value:
    """MOD with `fmod` by one without: its result has the sign of the first operand."""
    if not fmod:
        raise Unsupported(f"a remainder of {input0.type} with the sign of what divides")
    if input0.is_float:
        return _mirror_remainder(input0, input1)
    rest = input0 % input1
    differs = compare.not_equal(rest, 0) & ((rest < 0) ^ (input0 < 0))
    return compare.where(differs, rest - input1, rest)


@real(double=True)
def _mirror_remainder(input0: Value, input1: Value) -> Value:
    rest = abs(input0) % abs(input1)
    return compare.where(input0 < 0, -rest, rest)


@activate_result
def multiply_power(input0: Value, input1: Value) -> Value:
    """POW of integers with one known exponent: squares, multiplied."""
    exponent = _number_beside(input0, input1)
    if input0.is_float or exponent is None or not 0 <= exponent < MOST_PRODUCTS:
        raise Unsupported(f"a power of {input0.type} with {input1.type} by products")
    factors, power = [], input0
    for place in range(exponent.bit_length()):
        power = power * power if place else power
        factors += [power] if exponent >> place & 1 else []
    return reduce(mul, factors) if factors else input0 - input0 + 1
