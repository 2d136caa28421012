"""Functions of single numbers."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import FusedActivation, OperationType
from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from .binary import negate
from .emitter import WHOLE, Emitter, Ref

table = Lowerings[Ref]()
table.native(unary.floor, "FLOOR")


@table.lower(unary.neg)
def neg(g: Emitter, input: Value) -> Ref:
    return negate(g, input)


@table.lower(unary.abs_)
def abs_(g: Emitter, input: Value) -> Ref:
    x = g.real(input)
    return g.add(g.rectify(x), g.rectify(negate(g, x)))


@table.lower(unary.square)
def square(g: Emitter, input: Value) -> Ref:
    return g.binary(OperationType.MUL, input, input, FusedActivation.NONE)


@table.lower(unary.cast, implied=["dtype"])
def cast(g: Emitter, input: Value) -> Ref:
    """Between integers of 32 and 64 bits, or to the same type."""
    ref, to = g.take(input), g.operation.outputs[0].precision
    if to == ref.precision or (to in WHOLE and ref.precision in WHOLE):
        return ref
    raise NoLowering(f"nnapi casts no {ref.precision.name} to {Precision(to).name}")


@table.lower(unary.assign)
def assign(g: Emitter, input: Value) -> Ref:
    return g.take(input)
