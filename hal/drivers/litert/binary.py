"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

import functools
import operator

import numpy as np

from nnir.broadcast import broadcast
from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import binary
from nnir.types import Fuse, Precision

from ...attributes import Ints
from ...lowering import Lowerings
from .emitter import Emitter, Operand, Ref
from .static import only_integer
from .unary import real

table = Lowerings[Ref]()
BOOL = Precision.BOOL8
CODES = {Fuse.NONE: 0, Fuse.RELU: 1, Fuse.RELU6: 3}
"""Activations that kernels apply to their result."""


@table.fuse
def apply_fuse_code(g: Emitter, result: Ref, fuse_code: Fuse) -> Ref:
    """The activation of a fuse code as steps of their own."""
    match fuse_code:
        case Fuse.NONE:
            return result
        case Fuse.RELU:
            return rectify(g, result)
        case Fuse.RELU1 | Fuse.RELU6:
            high = {Fuse.RELU1: 1, Fuse.RELU6: 6}[fuse_code]
            return clip_between(g, result, 0, high)
    raise NoLowering(f"fuse code {fuse_code!r}")


def rectify(g: Emitter, input: Operand) -> Ref:
    """max(0, x)."""
    ref = g.take(input)
    if ref.tensor.precision == Precision.FLOAT32:
        return g.elementwise("RELU", ref)
    return g.elementwise("MAXIMUM", 0, ref)


def clip_between(g: Emitter, input: Operand, low: Operand | float, high: Operand | float) -> Ref:
    """min(max(x, low), high), where NaN stays: it comes second."""
    return g.elementwise("MINIMUM", high, g.elementwise("MAXIMUM", low, input))


def calculate(g: Emitter, name: str, a: Operand, b: Operand, fuse_code: Fuse) -> Ref:
    """A kernel that may apply an activation itself."""
    plain = g.take(a).tensor.precision == Precision.FLOAT32
    if plain and fuse_code in CODES:
        return g.elementwise(name, a, b, fused_activation_function=CODES[fuse_code])
    return apply_fuse_code(g, g.elementwise(name, a, b), fuse_code)


@table.each({binary.add: "ADD", binary.sub: "SUB", binary.mul: "MUL"})
def _native(g: Emitter, name: str, input0: Value, input1: Value, *, fuse_code: Fuse) -> Ref:
    return calculate(g, name, input0, input1, fuse_code)


@table.lower(binary.sum_)
def sum_(g: Emitter, *input: Value) -> Ref:
    return functools.reduce(operator.add, map(g.take, input))


def is_real(g: Emitter, operand: Operand) -> bool:
    """Whether a tensor may hold NaN: a constant tells."""
    ref = g.take(operand)
    if not ref.precision.is_float:
        return False
    data = ref.tensor.data
    return data is None or bool(np.isnan(data).any())


def extreme(g: Emitter, name: str, a: Operand, b: Operand) -> Ref:
    """MAXIMUM or MINIMUM, where NaN wins: beside a constant the kernels let it, else not."""
    first, second = (b, a) if g.take(b).tensor.data is not None else (a, b)
    made = g.elementwise(name, first, second)
    if not is_real(g, first):
        return made
    for operand in (second, first):
        if is_real(g, operand):
            x = g.take(operand)
            made = g.where(x.unequal(x), x, made)
    return made


@table.each({binary.max_: "MAXIMUM", binary.min_: "MINIMUM"})
def _extreme(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    return extreme(g, name, input0, input1)


def _divide(g: Emitter, kernel: str, input0: Value, input1: Value, kind: Precision) -> Ref:
    """A division of integers, by 0 nothing: it ends a kernel, and by -1 the least overflows."""
    by = safe = g.cast(input1, kind)
    data, is_signed = by.tensor.data, kind.dtype.kind == "i"
    for number, occurs in ((0, True), (-1, is_signed)):
        if occurs and (data is None or (data == number).any()):
            safe = g.where(by.equal(number), 1, safe)
    made = g.elementwise(kernel, g.cast(input0, kind), safe)
    if is_signed and (data is None or (data == -1).any()):
        made = g.where(by.equal(-1), 0 if kernel == "FLOOR_MOD" else 0 - made, made)
    if data is None or not data.all():
        made = g.where(by.equal(0), 0, made)
    return made


def _quotient(g: Emitter, kernel: str, input0: Value, input1: Value) -> Ref:
    if input0.dtype.itemsize > 4 or input0.precision == Precision.UINT32:
        raise NoLowering(f"litert divides no {input0.precision.name}, only up to INT32")
    return _divide(g, kernel, input0, input1, Precision.INT32).cast(input0.precision)


def _divide_truncating(g: Emitter, a: Value, by: int) -> Ref:
    """The quotient of INT64 rounded towards zero: down, and one more where it is negative."""
    down = _long_quotient(g, a, by)
    back = down * by
    inexact = back.unequal(g.take(a)) & (down < 0)
    return down + inexact.cast(Precision.INT64)


@table.lower(binary.div)
def div(g: Emitter, input0: Value, input1: Value, *, fuse_code: Fuse) -> Ref:
    if input0.is_float:
        return calculate(g, "DIV", input0, input1, fuse_code)
    if number := _known_divisor(input0, input1):
        return apply_fuse_code(g, _divide_truncating(g, input0, number), fuse_code)
    return apply_fuse_code(g, _quotient(g, "DIV", input0, input1), fuse_code)


def _by_power(g: Emitter, x: Ref, count: int) -> Ref:
    """floor(x / 2^count) of INT64, of whose halves one is shifted and what falls out is added."""
    if not count:
        return x
    halves = halves_of(g, x)
    low, high = (_half(g, halves, k) for k in (0, 1))
    bits = g.same_bits(low, Precision.UINT32)
    fine = g.elementwise("RIGHT_SHIFT", bits, count).cast(Precision.INT64)
    rest = high.cast(Precision.INT64) % (1 << count)
    down = g.elementwise("RIGHT_SHIFT", high, count).cast(Precision.INT64)
    result = down * (1 << 32) + rest * (1 << (32 - count)) + fine
    return result.stored(x.order)


def halves_of(g: Emitter, ref: Ref) -> Ref:
    """64 bits as twice 32 along a last axis."""
    long = g.plain(g.same_bits(ref, Precision.INT64))
    shape, data = (*long.tensor.shape, 2), long.tensor.data
    if data is not None:
        return g.constant(np.ascontiguousarray(data)[..., None].view(np.int32))
    return g.one("BITCAST", [long], Precision.INT32, shape)


def _half(g: Emitter, halves: Ref, number: int) -> Ref:
    *shape, _ = halves.shape
    bounds = g.ints(*[0] * len(shape), number), g.ints(*[-1] * len(shape), 1)
    return g.reshape(g.one("SLICE", [halves, *bounds], Precision.INT32, (*shape, 1)), shape)


def _long_quotient(g: Emitter, a: Value, by: int) -> Ref:
    """floor(a / by) of INT64, which has no kernel: what is divisible by an odd number is
    multiplied with its inverse modulo 2^64."""
    x = g.plain(a)
    if by < 0:
        x, by = -x, -by
    count = (by & -by).bit_length() - 1
    odd = by >> count
    if count > 31:
        raise NoLowering(f"litert divides no INT64 by {by}")
    x = _by_power(g, g.plain(x), count)
    if odd == 1:
        return x
    inverse = pow(odd, -1, 1 << 64)
    inverse -= (1 << 64) if inverse >> 63 else 0
    return (x - x % odd) * inverse


def _known_divisor(input0: Value, input1: Value) -> int:
    """The number by which INT64 is divided, 0 where it is another type or not known."""
    by = only_integer(input1) if input0.precision == Precision.INT64 else None
    return by if by is not None and abs(by) < 1 << 62 and input1.rank <= input0.rank else 0


@table.lower(binary.floor_div)
def floor_div(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.is_float:  # the remainder is exact, the quotient is not: 1 by 0.1 is 9
        rest = g.take(input0) % input1
        whole = g.elementwise("ROUND", (g.take(input0) - rest) / input1)
        plain = g.take(input0) / input1
        beyond = abs(rest).equal(np.inf)  # by an infinity of the other sign
        whole = g.where(beyond, -1, whole)
        return g.where(g.take(input1).equal(0), plain, whole)
    if number := _known_divisor(input0, input1):
        return _long_quotient(g, input0, number)
    return _quotient(g, "FLOOR_DIV", input0, input1)


def _signs_differ(g: Emitter, rest: Ref, by: Ref) -> Ref:
    """Whether a remainder is not 0 and has another sign than `by`."""
    zero = g.number(0, rest)
    return rest.unequal(zero) & (rest < zero).unequal(by < zero)


@table.lower(binary.mod)
def mod(g: Emitter, input0: Value, input1: Value, *, fmod: bool) -> Ref:
    if input0.precision == Precision.UINT64:
        raise NoLowering("litert has no remainder of UINT64")
    if input0.is_float:
        rest = g.take(input0) % input1
    else:
        is_narrow = input0.dtype.itemsize < 4 or input0.precision == Precision.INT32
        kind = Precision.INT32 if is_narrow else Precision.INT64
        rest = _divide(g, "FLOOR_MOD", input0, input1, kind)
    if fmod:
        first, by = (g.cast(v, rest.tensor.precision) for v in (input0, input1))
        rest = g.where(_signs_differ(g, rest, first), rest - by, rest)
    return rest.cast(input0.precision)


@table.lower(binary.pow_)
def pow_(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.is_float:
        return _power(g, input0, input1)
    exponent = only_integer(input1)
    if exponent is None or not 0 <= exponent < 64:
        raise NoLowering("litert raises integers to one known power below 64 only")
    return _whole_power(g, g.take(input0), exponent)


def _power(g: Emitter, base: Value, exponent: Value) -> Ref:
    known = exponent.constant
    if known is not None and known.size == 1 and known.ndim <= base.rank:
        match known.item():
            case 2.0:
                return g.take(base) * base
            case 1.0:
                return g.take(base)
    return g.elementwise("POW", base, exponent)


def _whole_power(g: Emitter, base: Ref, exponent: int) -> Ref:
    """Squaring and multiplying."""
    result = base - base + 1
    while exponent:
        if exponent & 1:
            result *= base
        base, exponent = base * base, exponent >> 1
    return result


@table.lower(binary.atan2)
def atan2(g: Emitter, input0: Value, input1: Value) -> Ref:
    """The kernel wants equal shapes."""
    refs, order = g.aligned(real(g, input0), input1)
    shape = broadcast(*(r.tensor.shape for r in refs))
    wide = [spread(g, r, shape, order) for r in refs]
    return g.compute("ATAN2", wide, shape, order)


def spread(g: Emitter, ref: Ref, shape: tuple[Dim, ...], order: Ints) -> Ref:
    """A tensor repeated to the shape in which it is stored."""
    if ref.tensor.shape == shape:
        return ref
    target = g.sizes(shape)
    return g.move("BROADCAST_TO", [ref], shape, order, target)
