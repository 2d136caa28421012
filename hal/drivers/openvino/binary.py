"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import add

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import binary
from nnir.types import Fuse, Precision

from ...lowering import Lowerings
from .elements import NARROW
from .emitter import Emitter, Operand, Ref
from .finite import keep_nan
from .integers import (
    compute_in_32_bits,
    is_size,
    lower_in_32_bits,
    power,
    quotient_of,
    wide,
    wrap,
)

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


def _extreme(name: str) -> Callable[[Ref, Ref], Ref]:
    """The larger or the smaller; OpenVINO gives the second where the first is NaN."""

    def extreme(a: Ref, b: Ref) -> Ref:
        found = a.emitter.pair(name, a, b)
        return keep_nan(a.emitter, a, found)

    return extreme


lower_in_32_bits(
    table,
    {
        binary.add: "Add",
        binary.max_: _extreme("Maximum"),
        binary.min_: _extreme("Minimum"),
        binary.mul: "Multiply",
        binary.sub: "Subtract",
        binary.sum_: lambda *refs: reduce(add, refs),
    },
)


@table.lower(binary.div)
def div(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.is_float:
        return g.node("Divide", input0, input1, auto_broadcast="numpy", m_pythondiv=False)
    return wrap(g, quotient_of(g, input0, input1, floor=False)[0], input0.precision)


@table.lower(binary.floor_div)
def floor_div(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.is_float:
        raise NoLowering("openvino: floor_div of floats, whose remainder it rounds")
    return wrap(g, quotient_of(g, input0, input1, floor=True)[0], input0.precision)


@table.lower(binary.mod)
def mod(g: Emitter, input0: Value, input1: Value, *, fmod: bool) -> Ref:
    if input0.is_float:
        raise NoLowering("openvino: mod of floats, which it rounds")
    return wrap(g, quotient_of(g, input0, input1, floor=not fmod)[1], input0.precision)


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
        bits, signed = _bits_of(input1), input0.dtype.kind == "i"
        raised = partial(power, g, bits=bits, signed=signed)
        return compute_in_32_bits(g, raised, input0, input1)
    known = input1.constant
    if known is not None and known.size == 1 and known.item() == 2 and input1.rank <= input0.rank:
        return g.pair("Multiply", input0, input0)
    return g.pair("Power", input0, input1)
