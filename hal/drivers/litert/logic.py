"""Logical and bitwise operators."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import logic
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

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


@table.lower(logic.bitwise_xor)
def bitwise_xor(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.dtype.itemsize > 4:
        return _halves(g, input0, input1, "BITWISE_XOR")
    return g.elementwise("BITWISE_XOR", input0, input1)


def _halves(g: Emitter, input0: Value, input1: Value, name: str) -> Ref:
    """64 bits as twice 32 along a last axis."""
    pair = []
    for value in (input0, input1):
        ref = g.plain(g.same_bits(g.take(value), Precision.INT64))
        if ref.tensor.data is not None:
            halves = np.ascontiguousarray(ref.tensor.data)[..., None].view(np.int32)
            pair.append(g.constant(halves))
            continue
        pair.append(g.one("BITCAST", [ref], Precision.INT32, (*ref.tensor.shape, 2)))
    if name == "BITWISE_XOR":
        found = g.plain(g.elementwise(name, *pair))
    else:
        found = g.plain(_every_bit(g, pair[0], pair[1], name, 32, Precision.INT32))
    result = g.one("BITCAST", [found], Precision.INT64, found.tensor.shape[:-1])
    return g.same_bits(result, input0.precision)


def _require_small(input: Value) -> None:
    if input.dtype.itemsize > 4:
        raise NoLowering(f"litert has no bits of {input.precision.name}, only up to 32")


@table.each({logic.bitwise_and: "MINIMUM", logic.bitwise_or: "MAXIMUM"})
def _bit_by_bit(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    """LiteRT has no kernel: every bit of both, compared and added up again."""
    if input0.dtype.itemsize > 4:
        return _halves(g, input0, input1, name)
    bits = 8 * input0.dtype.itemsize
    return _every_bit(g, g.take(input0), g.take(input1), name, bits, input0.precision)


def _every_bit(g: Emitter, a: Ref, b: Ref, name: str, bits: int, precision: Precision) -> Ref:
    pair = [v.cast(Precision.INT64) for v in (a, b)]
    result: Ref | None = None
    for bit in range(bits):
        found = [_bit(g, v, bit) for v in pair]
        part = g.elementwise(name, *found) * (1 << bit)
        result = part if result is None else result + part
    if result is None:
        raise NoLowering("integers without bits")
    return result.cast(precision)


def _bit(g: Emitter, value: Ref, bit: int) -> Ref:
    """One bit of INT64 as 0 or 1."""
    return (value % (2 << bit) >= 1 << bit).cast(Precision.INT64)


@table.lower(logic.bit_shift)
def bit_shift(g: Emitter, input0: Value, input1: Value, *, left: bool) -> Ref:
    """By a known count; to the left as a product."""
    _require_small(input0)
    known = input1.constant
    width = 8 * input0.dtype.itemsize
    if known is None or known.size != 1 or not 0 <= int(known.reshape(-1)[0]) < width:
        raise NoLowering("litert shifts bits by one known count that is inside the width only")
    count = int(known.reshape(-1)[0])
    if left:
        wide = g.cast(input0, Precision.INT64)
        moved = wide * (1 << count)
        return moved.cast(input0.precision)
    return g.elementwise("RIGHT_SHIFT", input0, input1)
