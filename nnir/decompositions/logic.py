"""The bits of integers, by arithmetic that wraps."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..broadcast import axis_of, ints
from ..errors import NotConstant
from ..model import Index, Value
from ..ops import compare, logic, reduce, shape, unary
from ..types import Precision

SIGNED = {Precision.UINT32: Precision.INT32, Precision.UINT64: Precision.INT64}
"""Whose bits are those of a type with a sign, where that is no wider one."""


@logic.xor.decomposes()
def _xor(input0: Value, input1: Value) -> Value:
    """One of them, but not both."""
    return (input0 | input1) & ~(input0 & input1)


@logic.bitwise_not.decomposes()
def _bitwise_not(input: Value) -> Value:
    return input.scalar(_limits(input).max if input.dtype.kind == "u" else -1) - input


@logic.bitwise_and.decomposes()
def _bitwise_and(input0: Value, input1: Value) -> Value:
    """The sum of the powers of 2 that both have; a mask that is known has few, or is a modulus."""
    modulus = _modulus(input1) if input1.rank <= input0.rank else None
    if modulus is not None:
        return input0 % modulus
    bits = [bit for bit in range(_places(input0)) if _may_have(input0, bit, input1)]
    powers = _powers(input0, bits or [0])
    odd0, odd1 = (_bits(x, powers) for x in (input0, input1))
    total = reduce.reduce_sum(odd0 * odd1 * powers, [-1], keepdim=False)
    if input0.dtype.kind == "u":
        return total
    return total + _sign_bit((input0 < 0) & (input1 < 0), input0)


def combine_halves(input0: Value, input1: Value) -> Value:
    """BITWISE_AND by BITWISE_XOR: halves added up have twice the bits of both, and those of one."""
    kind, modulus = input0.precision, _modulus(input1) if input1.rank <= input0.rank else None
    wide = SIGNED.get(kind, Precision.INT32 if kind.dtype.itemsize < 4 else kind)
    change = unary.bit_cast if kind in SIGNED else unary.cast
    a, b = (change(x, dtype=wide) for x in (input0, input1))
    if modulus is not None and modulus <= _limits(a).max:
        return change(a % modulus, dtype=kind)
    return change(a // 2 + b // 2 - (a ^ b) // 2 + a % 2 * (b % 2), dtype=kind)


@logic.bitwise_or.decomposes()
def _bitwise_or(input0: Value, input1: Value) -> Value:
    return input0 + input1 - logic.bitwise_and(input0, input1)


@logic.bitwise_xor.decomposes()
def _bitwise_xor(input0: Value, input1: Value) -> Value:
    return input0 + input1 - logic.bitwise_and(input0, input1) * 2


@logic.bit_shift.decomposes()
def _bit_shift(input0: Value, input1: Value, *, left: bool) -> Value:
    """A product or quotient with a power of 2, which is 0 for counts outside the width."""
    if left:
        return input0 * (input1.scalar(2) ** input1)
    inside = (input1 >= 0) & (input1 < _places(input0))
    count = compare.where(inside, input1, input1.scalar(0))
    zero = input0.scalar(0)
    is_unsigned = input0.dtype.kind == "u"
    empty = zero if is_unsigned else compare.where(input0 < 0, input0.scalar(-1), zero)
    return compare.where(inside, input0 // (input1.scalar(2) ** count), empty)


@reduce.reduce_xor.decomposes()
def _reduce_xor(input: Value, axes: Index, *, keepdim: bool) -> Value:
    """Whether each bit occurs an odd number of times."""
    along = ints(axes)
    if along is None:
        raise NotConstant(f"the axes of reduce_xor of {input.type}")
    if not input.rank:
        return input
    over = [axis_of(a, input.rank) for a in along] or list(range(input.rank))
    powers = _powers(input, range(_places(input)))
    odd = reduce.reduce_sum(_bits(input, powers), over, keepdim=keepdim) % 2
    total = reduce.reduce_sum(odd * powers, [-1], keepdim=False)
    if input.dtype.kind == "u":
        return total
    negative = (input < 0).cast(input.precision)
    count = reduce.reduce_sum(negative, over, keepdim=keepdim) % 2
    return total + _sign_bit(count > 0, input)


def _limits(x: Value) -> np.iinfo:
    return np.iinfo(x.dtype)


def _places(x: Value) -> int:
    """The number of bits, without that of the sign."""
    return _limits(x).bits - (x.dtype.kind == "i")


def _may_have(x: Value, bit: int, y: Value) -> bool:
    """Whether both may have a bit, as far as they are known."""
    return all(v.known is None or bool((v.known >> bit & 1).any()) for v in (x, y))


def _modulus(mask: Value) -> int | None:
    """2**n where the mask is one number, 2**n - 1."""
    known = mask.known
    modulus = 0 if known is None or known.size != 1 else int(known.item()) + 1
    fits = 1 < modulus <= _limits(mask).max and not modulus & (modulus - 1)
    return modulus if fits else None


def _powers(like: Value, bits: Iterable[int]) -> Value:
    return like.model.constant(np.array([1 << bit for bit in bits], like.dtype))


def _bits(x: Value, powers: Value) -> Value:
    """The bits of every element, along a new last axis."""
    return (shape.unsqueeze(x, [-1]) // powers) % 2


def _sign_bit(holds: Value, like: Value) -> Value:
    return compare.where(holds, like.scalar(_limits(like).min), like.scalar(0))
