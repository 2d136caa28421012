"""Elementwise functions of one tensor."""

from __future__ import annotations

import math

from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import identity
from .emitter import Emitter, Real, Ref, Taken
from .kernels import HALVES, has_kernel

table = Lowerings[Ref]()
FLOAT = Precision.FLOAT32


BEYOND = 7
"""XNNPACK takes tensors of up to 6 axes and leaves others to LiteRT's own kernels."""


table.natives({unary.ceil: "CEIL", unary.floor: "FLOOR", unary.neg: "NEG", unary.round_: "ROUND"})


@table.each(
    {
        unary.cos: "COS",
        unary.exp: "EXP",
        unary.log: "LOG",
        unary.rsqrt: "RSQRT",
        unary.sin: "SIN",
        unary.sqrt: "SQRT",
    }
)
def exactly(g: Emitter, name: str, input: Real) -> Ref:
    """A function by LiteRT's own kernel, which takes it from the C library."""
    wide = g.widen(input.stored(identity(input.rank)), BEYOND)
    return g.reshape(g.elementwise(name, wide), input.tensor.shape).stored(input.order)


@table.lower(unary.abs_)
def abs_(g: Emitter, input: Taken) -> Ref:
    if input.precision == Precision.INT64:
        return g.elementwise("MAXIMUM", input, -input)
    return input if input.precision.dtype.kind == "u" else abs(input)


@table.lower(unary.square)
def square(g: Emitter, input: Taken) -> Ref:
    return input * input


@table.lower(unary.sign)
def sign(g: Emitter, input: Real) -> Ref:
    """NaN stays NaN, which the kernel makes 0."""
    return g.where(input.unequal(input), input, g.elementwise("SIGN", input))


@table.lower(unary.reciprocal)
def reciprocal(g: Emitter, input: Taken) -> Ref:
    return 1 / input


@table.lower(unary.assign)
def assign(g: Emitter, input: Taken) -> Ref:
    return input


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    if input.precision == dtype:
        return g.take(input)
    is_once = input.precision != Precision.FLOAT64 or dtype not in HALVES
    g.need(is_once, f"rounds FLOAT64 to {dtype.name} twice")
    made = g.cast(input, dtype)
    return made.seen_as(made.tensor.precision)


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    ref = g.take(input)
    is_held = Precision.BOOL8 not in (input.precision, dtype) and has_kernel("RESHAPE", dtype)
    g.need(is_held, f"has no bit cast of {input.type} to {dtype.name}")
    if input.precision != ref.tensor.precision:  # a half in FLOAT32
        ref = g.recast(ref, input.precision)
    made = g.same_bits(ref, dtype)
    return g.recast(made, FLOAT).seen_as(dtype) if dtype in HALVES else made


# Functions that LiteRT has no kernel of, by formulas that lose nothing near 0.


@table.each({unary.log2: 2.0, unary.log10: 10.0})
def _logarithm(g: Emitter, base: float, input: Real) -> Ref:
    """Whole where it is a power of the base."""
    made = exactly(g, "LOG", input) * (1 / math.log(base))
    whole = g.elementwise("ROUND", made)
    return g.where(g.elementwise("POW", base, whole).equal(input), whole, made)
