"""Integer arithmetic as the standard has it, out of what OpenVINO does exactly in 32 bits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial, reduce

import numpy as np

from nnir.dim import is_natural
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.types import Precision

from .elements import NARROW
from .emitter import Emitter, Operand, Ref, Refs

INT32 = Precision.INT32


def wide(g: Emitter, operand: Operand) -> Ref:
    """Integers of less than 32 bits in 32."""
    ref = g.ref(operand)
    if ref is None:
        raise NoLowering("openvino: an operand is missing")
    return ref.cast(INT32) if ref.precision in NARROW else ref


def wrap(g: Emitter, ref: Ref, to: Precision) -> Ref:
    """A result of 32 bits cut to what a narrower integer holds."""
    if to not in NARROW or ref.precision == to:
        return ref.cast(to)
    bits = to.dtype.itemsize * 8
    low = ref & ((1 << bits) - 1)
    if to.dtype.kind == "i":
        half = g.number(1 << (bits - 1), ref)
        low = (low ^ half) - half
    return low.cast(to)


def compute_in_32_bits(g: Emitter, function: Callable[..., Ref], *operands: Value | Ref) -> Ref:
    """`function` on the operands, narrow integers in 32 bits and cut to their own at the end."""
    to = operands[0].precision
    made = function(*(wide(g, v) for v in operands))
    return wrap(g, made, to) if to in NARROW else made


def is_size(*values: Value | Ref) -> bool:
    """Whether values are known to be made of sizes, which are small."""
    return all(isinstance(v, Value) and v.content is not None for v in values)


def is_natural_size(*values: Value) -> bool:
    """Whether values are sizes, or numbers beside them, that are surely not negative: what is
    subtracted from another one may be, as in a quotient that is rounded up."""
    held = [v.content if v.known is None else v.known for v in values]
    if any(h is None for h in held):
        return False  # before a large one is walked over
    return all(is_natural(d) for h in held if h is not None for d in h.flat)


def divide_truncating(g: Emitter, a: Ref, b: Ref) -> Ref:
    """a / b rounded toward zero, by divisors that are not 0.

    OpenVINO divides in float32. Its quotient is corrected by the quotient of what is left, and
    twice by one where what is left is still too large or has another sign than `a`.
    """
    quotient = a / b
    quotient = quotient + remainder(a, b, quotient) / b
    zero, one = g.number(0, a), g.number(1, a)
    for _ in range(2):
        left = remainder(a, b, quotient)
        same = (left < zero).equal(b < zero)
        step = g.where(same, one, -1)
        other = (left < zero).unequal(a < zero)
        back = left.unequal(zero) & other
        wrong = back | (abs(b) <= abs(left))
        quotient = g.where(wrong, quotient + step, quotient)
    least = g.number(np.iinfo(np.int32).min, a)  # which has no magnitude
    alone = g.where(a.equal(least), one, zero)
    return g.where(b.equal(least), alone, quotient)


def divide_natural(g: Emitter, a: Ref, b: Ref) -> Ref:
    """`divide_truncating` where neither is negative."""
    quotient = a / b
    quotient = quotient + remainder(a, b, quotient) / b
    left = remainder(a, b, quotient)
    zero, one = g.number(0, a), g.number(1, a)
    return quotient + g.where(b <= left, one, zero) - g.where(left < zero, one, zero)


def remainder(a: Ref, b: Ref, quotient: Ref) -> Ref:
    """What is left of `a`."""
    return a - quotient * b


def quotient_of(g: Emitter, input0: Value, input1: Value, *, floor: bool) -> tuple[Ref, Ref]:
    """The quotient and the remainder of integers, both 0 by 0."""
    if input0.is_float:
        raise NoLowering("openvino rounds the remainders of floats")
    natural = is_natural_size(input0, input1)
    a, b = wide(g, input0), wide(g, input1)
    zero, one = g.number(0, b), g.number(1, b)
    known = input1.constant
    safe = known is not None and bool(known.all())
    by = b if safe else g.where(b.equal(zero), one, b)
    if input0.precision in NARROW:
        quotient = a / by
    else:
        quotient = (divide_natural if natural else divide_truncating)(g, a, by)
    left = remainder(a, by, quotient)
    if floor and input0.dtype.kind == "i" and not natural:
        other = (left < zero).unequal(by < zero)
        down = left.unequal(zero) & other
        quotient = g.where(down, quotient - one, quotient)
        left = g.where(down, left + by, left)
    if not safe:
        none = b.equal(zero)
        quotient, left = (g.where(none, zero, r) for r in (quotient, left))
    return wrap(g, quotient, input0.precision), wrap(g, left, input0.precision)


def power_of(g: Emitter, input0: Value, input1: Value) -> Ref:
    """Powers of integers, which wrap."""
    if input0.precision == Precision.INT64 and not is_size(input0, input1):
        raise NoLowering("openvino computes int64 in 32 bits: powers")
    is_open = not (input0.is_static and input1.is_static) and not is_size(input0, input1)
    if is_open and input1.constant is None:
        raise NoLowering("openvino multiplies integers of open sizes in floats: powers")
    raised = partial(power, g, bits=_bits_of(input1), signed=input0.dtype.kind == "i")
    return compute_in_32_bits(g, raised, input0, input1)


def _bits_of(exponent: Value) -> int:
    """How many bits exponents have that are not negative."""
    if exponent.constant is not None:
        return int(exponent.constant.max(initial=1)).bit_length()
    return min(exponent.dtype.itemsize * 8, 32) - (exponent.dtype.kind == "i")


def power(g: Emitter, base: Ref, exponent: Ref, *, bits: int, signed: bool) -> Ref:
    """Squaring and multiplying, which wraps; exponents have so many bits."""
    one, zero = g.number(1, base), g.number(0, base)
    left = g.pair("Maximum", exponent, zero)
    result, square = g.where(left.equal(left), one, one), base
    for place in range(bits):
        odd = (left & one).equal(one)
        result = g.where(odd, result * square, result)
        if place + 1 < bits:
            left = g.pair("BitwiseRightShift", left, one)
            square = square * square
    if not signed:
        return result
    unit = abs(base).equal(one)
    even = (exponent & one).equal(zero)
    inverse = g.where(unit, g.where(even, one, base), zero)
    return g.where(exponent < zero, inverse, result)


def total(g: Emitter, input: Ref, axes: list[int], *, keepdim: bool) -> Ref:
    """The sum of integers, which wraps: OpenVINO's own reduction is in float32."""
    result = input
    for axis in axes:
        along = g.scalar(axis)
        if not result.output.get_partial_shape()[axis].is_static:
            result = _begun(g, result, axis)
        running = g.node("CumSum", result, along, exclusive=False, reverse=False)
        result = g.node("Gather", running, g.ints(-1), along)
    return result if keepdim or not axes else g.squeeze(result, *axes)


def _begun(g: Emitter, x: Ref, axis: int) -> Ref:
    """A zero in front of an axis that may be empty."""
    front = g.ints(*(int(k == axis) for k in range(x.rank)))
    none = g.ints(*[0] * x.rank)
    return g.node("Pad", x, front, none, g.number(0, x), pad_mode="constant")


def extreme(g: Emitter, input: Ref, axes: list[int], mode: str, *, keepdim: bool) -> Ref:
    """The largest or smallest of integers, by their order: OpenVINO's reduction is in float32."""
    result = input
    for axis in axes:
        result, _ = g.ranked(result, g.scalar(1), axis, mode, index_element_type="i32")
    return result if keepdim or not axes else g.squeeze(result, *axes)


def product(g: Emitter, input: Ref, axes: list[int], sizes: list[int], *, keepdim: bool) -> Ref:
    """The product of integers over axes of known sizes, half by half."""
    result = input
    for axis, size in zip(axes, sizes, strict=True):
        along = g.scalar(axis)
        while size > 1:
            half = size // 2
            lengths = g.ints(half, half, *([1] if size % 2 else []))
            first, second, *odd = g.node(
                "VariadicSplit", result, along, lengths, outputs=2 + size % 2
            )
            result = first * second
            result = g.concat(result, *odd, axis=axis)
            size = half + size % 2
    return result if keepdim or not axes else g.squeeze(result, *axes)


def bounds_of(precision: Precision) -> tuple[int, int]:
    """What an integer holds, for the purposes of 32 bits."""
    kind = np.iinfo(np.int32 if precision == Precision.INT64 else precision.dtype)
    return int(kind.min), int(kind.max)


def multiply_exactly(
    g: Emitter, x: Value, y: Value, count: int, transpose_x: bool, transpose_y: bool
) -> Ref:
    """Sums of `count` products at once, which floats give exactly, as small integers they are."""
    flags = transpose_x and x.rank > 1, transpose_y and y.rank > 1
    axes = -2 if flags[0] else -1, -1 if flags[1] or y.rank == 1 else -2
    width = x.shape[axes[0]]
    if not isinstance(width, int) or not width:
        raise NoLowering(f"openvino: sums of {width} products of {x.type} and {y.type}")
    parts = [min(count, width - k) for k in range(0, width, count)]

    def split(value: Value, axis: int) -> Refs:
        whole = g.cast(value, Precision.FLOAT32)
        if len(parts) == 1:
            return (whole,)
        return g.node("VariadicSplit", whole, g.scalar(axis), g.ints(*parts), outputs=len(parts))

    sums = [
        g.node("MatMul", a, b, transpose_a=flags[0], transpose_b=flags[1]).cast(x.precision)
        for a, b in zip(split(x, axes[0]), split(y, axes[1]), strict=True)
    ]
    return reduce(operator.add, sums)
