"""Arithmetic of two tensors."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import binary
from nnir.types import Fuse

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
table.natives({binary.max_: "MAXIMUM", binary.min_: "MINIMUM", binary.pow_: "POW"})
table.native(binary.mod, "MOD")
FUSES = {Fuse.NONE: 0, Fuse.RELU: 1, Fuse.RELU6: 2}
"""Fuse codes of the standard that operations have."""


@table.fuse
def apply_fuse_code(g: Emitter, ref: Ref, code: Fuse) -> Ref:
    match code:
        case Fuse.RELU:
            return g.elementwise("RELU", ref)
        case Fuse.RELU6:
            return g.elementwise("RELU6", ref)
        case Fuse.RELU1:
            zero = g.elementwise("MAXIMUM", ref, g.number(0, ref))
            return g.elementwise("MINIMUM", zero, g.number(1, ref))
    return ref


def after(g: Emitter, ref: Ref, code: Fuse) -> Ref:
    """The activation that an operation does not have itself."""
    return ref if code in FUSES else apply_fuse_code(g, ref, code)


@table.each({binary.add: "ADD", binary.sub: "SUB", binary.mul: "MUL", binary.div: "DIV"})
def _arithmetic(g: Emitter, name: str, input0: Value, input1: Value, *, fuse_code: Fuse) -> Ref:
    made = g.elementwise(name, input0, input1, activationType=FUSES.get(fuse_code, 0))
    return after(g, made, fuse_code)


@table.lower(binary.floor_div)
def floor_div(g: Emitter, input0: Value, input1: Value) -> Ref:
    rest = g.elementwise("MOD", input0, input1)
    zero = g.number(0, rest)
    plain = g.elementwise("DIV", input0, input1)
    if not input0.is_float:
        signs = [g.elementwise("LESS", v, zero) for v in (input0, input1)]
        some = g.elementwise("NOT_EQUAL", rest, zero)
        rounds = g.elementwise("LOGICAL_AND", some, g.elementwise("NOT_EQUAL", *signs))
        return g.elementwise("SUB", plain, g.cast(rounds, input0.precision))
    # the remainder is exact, the quotient is not: 1 by 0.1 is 9
    whole = g.elementwise("DIV", g.elementwise("SUB", input0, rest), input1)
    beyond = g.elementwise("EQUAL", g.elementwise("ABS", rest), g.number(np.inf, rest))
    found = g.where(beyond, g.number(-1, rest), g.elementwise("ROUND", whole))
    return g.where(g.elementwise("EQUAL", input1, zero), plain, found)


@table.lower(binary.sum_)
def sum_(g: Emitter, *input: Value) -> Ref:
    total = g.take(input[0])
    for other in input[1:]:
        total = g.elementwise("ADD", total, other)
    return total
