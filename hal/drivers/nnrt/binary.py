"""Arithmetic of two tensors."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import binary
from nnir.recipes import division
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
            zero = g.elementwise("MAXIMUM", ref, 0)
            return g.elementwise("MINIMUM", zero, 1)
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
    if input0.is_float:
        raise NoLowering("nnrt rounds a quotient before it is rounded down")
    a, b = g.take(input0), g.take(input1)
    rest, plain = a % b, a / b
    zero = g.number(0, rest)
    rounds = rest.unequal(zero) & (a < zero).unequal(b < zero)
    return plain - rounds.cast(input0.precision)


table.decompose(binary.floor_div, division.floor_by_remainder)


@table.lower(binary.sum_)
def sum_(g: Emitter, *input: Value) -> Ref:
    total = g.take(input[0])
    for other in input[1:]:
        total += other
    return total
