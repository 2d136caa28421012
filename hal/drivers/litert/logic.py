"""Logical and bitwise operators."""

from __future__ import annotations

from functools import partial, reduce
from operator import add

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import logic
from nnir.types import Precision

from ...lowering import Lowerings
from .binary import halves_of
from .emitter import Emitter, Ref
from .static import only_integer

table = Lowerings[Ref]()
BOOL = Precision.BOOL8


@table.each(
    {
        logic.and_: "LOGICAL_AND",
        logic.or_: "LOGICAL_OR",
        logic.xor: "NOT_EQUAL",
    }
)
def _same(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    return g.elementwise(name, input0, input1, precision=BOOL)


table.native(logic.not_, "LOGICAL_NOT")


@table.each(
    {
        logic.bitwise_and: "MINIMUM",
        logic.bitwise_or: "MAXIMUM",
        logic.bitwise_xor: "BITWISE_XOR",
    }
)
def _bitwise(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    """LiteRT has one kernel, of up to 32 bits; for the others every bit of both is compared."""
    pair, is_long = [g.take(v) for v in (input0, input1)], input0.dtype.itemsize > 4
    if is_long:
        pair = [halves_of(g, v) for v in pair]
    compute = g.elementwise if name == "BITWISE_XOR" else partial(_every_bit, g)
    made = compute(name, *pair)
    if not is_long:
        return made
    whole = g.one("BITCAST", [g.plain(made)], Precision.INT64, made.shape[:-1])
    return g.same_bits(whole, input0.precision)


def _every_bit(g: Emitter, name: str, a: Ref, b: Ref) -> Ref:
    pair = [v.cast(Precision.INT64) for v in (a, b)]
    kind = a.tensor.precision
    parts = (
        g.elementwise(name, *(_bit(v, bit) for v in pair)) * (1 << bit)
        for bit in range(8 * kind.dtype.itemsize)
    )
    return reduce(add, parts).cast(kind)


def _bit(value: Ref, bit: int) -> Ref:
    """One bit of INT64 as 0 or 1."""
    return (value % (2 << bit) >= 1 << bit).cast(Precision.INT64)


@table.lower(logic.bit_shift)
def bit_shift(g: Emitter, input0: Value, input1: Value, *, left: bool) -> Ref:
    """By a known count; to the left as a product."""
    count, width = only_integer(input1), input0.dtype.itemsize
    if width > 4 or count is None or not 0 <= count < 8 * width:
        raise NoLowering("litert shifts up to 32 bits by one known count inside the width only")
    if left:
        return (g.cast(input0, Precision.INT64) * (1 << count)).cast(input0.precision)
    return g.elementwise("RIGHT_SHIFT", input0, input1)
