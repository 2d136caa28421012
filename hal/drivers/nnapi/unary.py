"""Functions of single numbers."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from .binary import clip_between
from .emitter import WHOLE, Emitter, Ref

table = Lowerings[Ref]()
table.native(unary.floor, "FLOOR")

LARGE = 2.0**100
"""The square of it makes each float but 0 larger than 1; a product with it rounds nothing."""


@table.lower(unary.neg)
def neg(g: Emitter, input: Value) -> Ref:
    return -g.real(input)


@table.lower(unary.abs_)
def abs_(g: Emitter, input: Value) -> Ref:
    x = g.real(input)
    return g.rectify(x) + g.rectify(-x)


@table.lower(unary.sign)
def sign(g: Emitter, input: Value) -> Ref:
    """Enlarge beyond -1 and 1 and keep within them; twice, for the least floats. -0 becomes 0."""
    once = clip_between(g, g.real(input) * LARGE, -1, 1)
    return clip_between(g, once * LARGE, -1, 1) + 0


@table.lower(unary.square)
def square(g: Emitter, input: Value) -> Ref:
    x = g.real(input)
    return x * x


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
