"""Elementwise functions of one tensor."""

from __future__ import annotations

import math

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from ...orders import identity
from .emitter import Emitter, Ref
from .kernels import has_kernel

table = Lowerings[Ref]()
FLOAT = Precision.FLOAT32


BEYOND = 7
"""XNNPACK takes tensors of up to 6 axes and leaves others to LiteRT's own kernels."""


table.natives({unary.ceil: "CEIL", unary.floor: "FLOOR", unary.neg: "NEG", unary.round_: "ROUND"})


def exactly(g: Emitter, name: str, x: Ref) -> Ref:
    """A function by LiteRT's own kernel, which takes it from the C library."""
    sizes = x.tensor.shape
    wide = g.reshape(x.stored(identity(x.rank)), (*(1,) * (BEYOND - x.rank), *sizes))
    return g.reshape(g.elementwise(name, wide), sizes).stored(x.order)


def real(g: Emitter, input: Value) -> Ref:
    """An operand that is computed with in FLOAT32; NoLowering for FLOAT64."""
    ref = g.take(input)
    if ref.tensor.precision != FLOAT:
        raise NoLowering(f"litert computes no {input.precision.name} functions, only FLOAT32")
    return ref


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
def _curve(g: Emitter, name: str, input: Value) -> Ref:
    return exactly(g, name, real(g, input))


@table.lower(unary.abs_)
def abs_(g: Emitter, input: Value) -> Ref:
    x = g.take(input)
    if input.precision == Precision.INT64:
        return g.elementwise("MAXIMUM", x, -x)
    return x if input.dtype.kind == "u" else abs(x)


@table.lower(unary.square)
def square(g: Emitter, input: Value) -> Ref:
    x = g.take(input)
    return x * x


@table.lower(unary.sign)
def sign(g: Emitter, input: Value) -> Ref:
    """NaN stays NaN, which the kernel makes 0."""
    x = real(g, input)
    return g.where(x.unequal(x), x, g.elementwise("SIGN", x))


@table.lower(unary.reciprocal)
def reciprocal(g: Emitter, input: Value) -> Ref:
    return 1 / g.take(input)


@table.lower(unary.assign)
def assign(g: Emitter, input: Value) -> Ref:
    return g.take(input)


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    if input.precision == dtype:
        return g.take(input)
    if input.precision == Precision.FLOAT64 and dtype in (Precision.FLOAT16, Precision.BFLOAT16):
        raise NoLowering(f"litert rounds FLOAT64 to {dtype.name} twice")
    made = g.cast(input, dtype)
    return made.seen_as(made.tensor.precision)


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    ref = g.take(input)
    if Precision.BOOL8 in (input.precision, dtype) or not has_kernel("RESHAPE", dtype):
        raise NoLowering(f"litert has no bit cast of {input.type} to {dtype.name}")
    if input.precision != ref.tensor.precision:  # a half in FLOAT32
        ref = g.one("CAST", [ref], input.precision, ref.tensor.shape, ref.order)
    made = g.same_bits(ref, dtype)
    if dtype in (Precision.FLOAT16, Precision.BFLOAT16):
        return g.one("CAST", [made], FLOAT, made.tensor.shape, made.order).seen_as(dtype)
    return made


# Functions that LiteRT has no kernel of, by formulas that lose nothing near 0.


@table.each({unary.log2: 2.0, unary.log10: 10.0})
def _logarithm(g: Emitter, base: float, input: Value) -> Ref:
    """Whole where it is a power of the base."""
    x = real(g, input)
    made = exactly(g, "LOG", x) * (1 / math.log(base))
    whole = g.elementwise("ROUND", made)
    return g.where(g.elementwise("POW", base, whole).equal(x), whole, made)
