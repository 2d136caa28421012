"""Functions of single numbers."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.ops import unary

from ...lowering import Lowerings
from .emitter import WHOLE, Emitter, Real, Ref, Taken

table = Lowerings[Ref]()
table.native(unary.floor, "FLOOR")

LARGE = 2.0**100
"""The square of it makes each float but 0 larger than 1; a product with it rounds nothing."""


@table.lower(unary.neg)
def neg(g: Emitter, input: Real) -> Ref:
    return -input


@table.lower(unary.abs_)
def abs_(g: Emitter, input: Real) -> Ref:
    return g.rectify(input) + g.rectify(-input)


@table.lower(unary.sign)
def sign(g: Emitter, input: Real) -> Ref:
    """Enlarge beyond -1 and 1 and keep within them; twice, for the least floats. -0 becomes 0."""
    once = g.map("RELU1", input * LARGE)
    return g.map("RELU1", once * LARGE) + 0


@table.lower(unary.square)
def square(g: Emitter, input: Real) -> Ref:
    return input * input


@table.lower(unary.cast, unary.assign, implied=["dtype"])
def cast(g: Emitter, input: Taken) -> Ref:
    """Between integers of 32 and 64 bits, or to the same type."""
    to = g.operation.outputs[0].precision
    if to == input.precision or (to in WHOLE and input.precision in WHOLE):
        return input
    raise NoLowering(f"nnapi casts no {input.precision.name} to {to.name}")
