"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

from functools import reduce
from operator import add

from nnir.model import Value
from nnir.ops import binary
from nnir.types import Fuse

from .emitter import Emitter, Operand, Ref
from .finite import keep_nan
from .forms import Table
from .integers import power_of, quotient_of, wide

table = Table()
TOPS = {Fuse.RELU: None, Fuse.RELU1: 1.0, Fuse.RELU6: 6.0}
"""What fuse codes, which begin at 0, go up to."""


@table.fuse
def apply_fuse_code(g: Emitter, result: Ref, fuse_code: Fuse) -> Ref:
    """The activation of a fuse code."""
    top = TOPS[fuse_code]
    if not result.is_float:
        return clip_between(g, result, 0, top)
    return g.node("Relu", result) if top is None else g.node("Clamp", result, min=0.0, max=top)


def clip_between(
    g: Emitter, input: Value | Ref, low: Operand | float, high: Operand | float
) -> Ref:
    """min(max(x, low), high) with NaN; the bounds are numbers, operands or None."""
    ref = g.take(input)
    made = wide(g, ref)
    for op, limit in (("Maximum", low), ("Minimum", high)):
        if limit is not None:
            given = limit if isinstance(limit, (int, float)) else wide(g, limit)
            made = g.pair(op, given, made)
    return keep_nan(g, ref, made)


table.formulas(
    {
        binary.add: "Add",
        binary.max_: lambda g, a, b: keep_nan(g, a, g.pair("Maximum", a, b)),
        binary.min_: lambda g, a, b: keep_nan(g, a, g.pair("Minimum", a, b)),
        binary.mul: "Multiply",
        binary.sub: "Subtract",
        binary.sum_: lambda g, *refs: reduce(add, refs),
    },
)


@table.lower(binary.div)
def div(g: Emitter, input0: Value, input1: Value) -> Ref:
    if input0.is_float:
        return g.divide(input0, input1)
    return quotient_of(g, input0, input1, floor=False)[0]


@table.lower(binary.floor_div)
def floor_div(g: Emitter, input0: Value, input1: Value) -> Ref:
    return quotient_of(g, input0, input1, floor=True)[0]


@table.lower(binary.mod)
def mod(g: Emitter, input0: Value, input1: Value, *, fmod: bool) -> Ref:
    return quotient_of(g, input0, input1, floor=not fmod)[1]


@table.lower(binary.pow_)
def pow_(g: Emitter, input0: Value, input1: Value) -> Ref:
    if not input0.is_float:
        return power_of(g, input0, input1)
    known = input1.constant
    if known is not None and known.size == 1 and known.item() == 2 and input1.rank <= input0.rank:
        return g.pair("Multiply", input0, input0)
    return g.pair("Power", input0, input1)
