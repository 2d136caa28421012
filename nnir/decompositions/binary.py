"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

import math

from ..decomposition import Level
from ..errors import Unsupported
from ..model import Value
from ..ops import binary, compare, unary
from ..types import Precision
from .real import real


@binary.mod.decomposes()
def _mod(input0: Value, input1: Value, *, fmod: bool) -> Value:
    """What the quotient leaves, rounded down or, with `fmod`, toward zero; by 0 it is 0."""
    if not input0.is_integer:
        raise Unsupported(f"the exact remainder of {input0.type}")
    quotient = input0 / input1 if fmod else input0 // input1
    rest = input0 - quotient * input1
    known = input1.known
    if known is not None and known.all():
        return rest
    return compare.where(compare.equal(input1, 0), input1, rest)


@binary.mod.decomposes(level=Level.ROUNDING)
@real(double=True)
def _mod_of_reals(input0: Value, input1: Value, *, fmod: bool) -> Value:
    """Exact for quotients below 2**24, in FLOAT64 2**52, by operands below 2**100
    or 2**900.

    What is beyond loses the digits that input0 does not have.
    """
    bits = 26 if input0.precision == Precision.FLOAT64 else 12
    size, step = abs(input0), abs(input1)
    high = _high_digits(step, bits)
    rest = size
    for factor in (2.0**bits, 1.0):
        rest = _reduce(rest, step * factor, high * factor)
    mirrored = compare.where(input0 < 0, -rest, rest)
    rest = compare.where(size < step, input0, mirrored)
    if fmod:
        return rest
    differs = compare.not_equal(rest, 0) & ((rest < 0) ^ (input1 < 0))
    return compare.where(differs, rest + input1, rest)


def _high_digits(x: Value, bits: int) -> Value:
    """The upper half of the digits (T. J. Dekker), of what is too large for it all of them."""
    scaled = x * (2.0**bits + 1)
    return compare.where(x < 2.0 ** (900 if bits == 26 else 100), scaled - (scaled - x), x)


def _reduce(size: Value, step: Value, high: Value) -> Value:
    """The remainder of numbers from 0 on, exact for quotients of half the digits.

    Their products with either half of the step are exact, and so is what is subtracted; where the
    quotient was rounded, a step is taken off or given back.
    """
    quotient = unary.floor(size / step)
    rest = (size - quotient * high) - quotient * (step - high)
    rest = compare.where(rest < 0, rest + step, rest)
    rest = compare.where(rest >= step, rest - step, rest)
    return compare.where(size < step, size, rest)


@binary.hypot.decomposes(level=Level.ROUNDING, ulps=4)
@real(double=True)
def _hypot(input0: Value, input1: Value) -> Value:
    """The longer side times the root of 1 + ratio**2; an infinite one wins over NaN."""
    sides = abs(input0), abs(input1)
    long, short = binary.max_(*sides), binary.min_(*sides)
    ratio = compare.where(long > 0, short / long, long.scalar(0))
    length = long * unary.sqrt(unary.square(ratio) + 1)
    first, second = (compare.equal(side, math.inf) for side in sides)
    return compare.where(first | second, long.scalar(math.inf), length)


@binary.atan2.decomposes(level=Level.ROUNDING, ulps=4)
@real(double=True)
def _atan2(input0: Value, input1: Value) -> Value:
    """Two zeros or infinities have a ratio too; the sign of a zero is that of what it divides."""
    zero, half_turn = input0.scalar(0), input0.scalar(math.pi)
    sides = abs(input0), abs(input1)
    number = compare.where(compare.equal(input1, input1), input0, input0.scalar(1))
    nothing = compare.equal(number, 0)  # NaN beside 0 stays NaN
    ratio = compare.where(compare.equal(*sides), unary.sign(input0), input0 / sides[1])
    slope = unary.atan(compare.where(nothing, input0, ratio))
    below = compare.where(nothing, 1 / input0, input0) < zero
    behind = compare.where(compare.equal(input1, 0), 1 / input1, input1) < zero
    opposite = compare.where(below, -half_turn, half_turn)
    return compare.where(behind, opposite - slope, slope)
