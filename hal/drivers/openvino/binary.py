"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

import functools
import operator

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import binary
from nnir.types import Fuse, Precision

from ...lowering import Lowerings
from .elements import NARROW
from .emitter import Emitter, Operand, Ref
from .finite import keep_nan
from .integers import compute_in_32_bits, is_size, power, quotient_of, wide, wrap

table = Lowerings[Ref]()


@table.fuse
def apply_fuse_code(g: Emitter, result: Ref, fuse_code: Fuse) -> Ref:
    """The activation of a fuse code."""
    high = {Fuse.RELU1: 1, Fuse.RELU6: 6}
    match fuse_code:
        case Fuse.NONE:
            return result
        case Fuse.RELU if result.is_float:
            return g.node("Relu", result)
        case Fuse.RELU:
            return rectify(g, result)
        case Fuse.RELU1 | Fuse.RELU6:
            if result.is_float:
                return g.node("Clamp", result, min=0.0, max=float(high[fuse_code]))
            return clip_between(g, result, 0, high[fuse_code])
    raise NoLowering(f"fuse code {fuse_code!r}")


def rectify(g: Emitter, input: Value | Ref) -> Ref:
    """max(0, x)."""
    return clip_between(g, input, 0, None)


def clip_between(
    g: Emitter, input: Value | Ref, low: Operand | float, high: Operand | float
) -> Ref:
    """min(max(x, low), high) with NaN; the bounds are numbers, operands or None."""
    ref = g.take(input)
    narrow = ref.precision in NARROW
    made = wide(g, ref) if narrow else ref
    for op, limit in (("Maximum", low), ("Minimum", high)):
        if limit is not None:
            given = limit if isinstance(limit, (int, float)) else wide(g, limit)
            made = g.pair(op, given, made)
    if ref.is_float:
        return keep_nan(g, ref, made)
    return made.cast(ref.precision) if narrow else made


@table.each({binary.add: "Add", binary.mul: "Multiply", binary.sub: "Subtract"})
def _wrapping(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    return compute_in_32_bits(g, lambda a, b: g.pair(name, a, b), input0, input1)


def extreme(g: Emitter, name: str, a: Ref, b: Ref) -> Ref:
    """The larger or the smaller; OpenVINO gives the second where the first is NaN."""
    if not a.is_float:
        return g.pair(name, a, b)
    return g.where(g.node("IsNaN", a), a, g.pair(name, a, b))


@table.each({binary.max_: "Maximum", binary.min_: "Minimum"})
def _extreme(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    return compute_in_32_bits(g, lambda a, b: extreme(g, name, a, b), input0, input1)


@table.lower(binary.sum_)
def sum_(g: Emitter, *input: Value) -> Ref:
    return compute_in_32_bits(g, lambda *refs: functools.reduce(operator.add, refs), *input)


@table.lower(binary.div)
def div(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.is_float:
        return g.node("Divide", input0, input1, auto_broadcast="numpy", m_pythondiv=False)
    quotient, _ = quotient_of(g, input0, input1, floor=False)
    return wrap(g, quotient, input0.precision)


@table.lower(binary.floor_div)
def floor_div(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.is_float:
        raise NoLowering("openvino: floor_div of floats, whose remainder it rounds")
    quotient, _ = quotient_of(g, input0, input1, floor=True)
    return wrap(g, quotient, input0.precision)


@table.lower(binary.mod)
def mod(g: Emitter, input0: Value, input1: Value, *, fmod: bool) -> Ref:
    if input0.is_float:
        raise NoLowering("openvino: mod of floats, which it rounds")
    _, left = quotient_of(g, input0, input1, floor=not fmod)
    return wrap(g, left, input0.precision)


def _bits_of(exponent: Value) -> int:
    """How many bits exponents have that are not negative."""
    if exponent.constant is not None:
        return int(exponent.constant.max(initial=1)).bit_length()
    return min(exponent.dtype.itemsize * 8, 32) - (exponent.dtype.kind == "i")


@table.lower(binary.pow_)
def pow_(g: Emitter, input0: Value, input1: Value) -> Ref:
    if not input0.is_float:
        if input0.precision == Precision.INT64 and not is_size(input0, input1):
            raise NoLowering("openvino computes int64 in 32 bits: powers")
        is_open = not (input0.is_static and input1.is_static) and not is_size(input0, input1)
        if is_open and input1.constant is None:
            raise NoLowering("openvino multiplies integers of open sizes in floats: powers")
        signed, bits = input0.dtype.kind == "i", _bits_of(input1)
        return compute_in_32_bits(
            g, lambda a, b: power(g, a, b, bits=bits, signed=signed), input0, input1
        )
    known = None if input1.constant is None or input1.constant.size != 1 else input1.constant
    if known is not None and float(known.reshape(())) == 2 and input1.rank <= input0.rank:
        return g.pair("Multiply", input0, input0)
    return g.pair("Power", input0, input1)
