"""Elementwise functions of one tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from ... import orders
from ...lowering import Lowerings
from ...orders import identity
from .emitter import Emitter, Operand, Ref
from .kernels import has_kernel
from .static import numbers

table = Lowerings[Ref]()
BOOL, FLOAT = Precision.BOOL8, Precision.FLOAT32


BEYOND = 7
"""XNNPACK takes tensors of up to 6 axes and leaves others to LiteRT's own kernels."""


EXACT = frozenset({"COS", "EXP", "LOG", "SIN"})


@table.each({unary.ceil: "CEIL", unary.floor: "FLOOR", unary.round_: "ROUND"})
def _rounding(g: Emitter, name: str, input: Value) -> Ref:
    return g.elementwise(name, input)


def exactly(g: Emitter, name: str, x: Ref) -> Ref:
    """A function by LiteRT's own kernel, which takes it from the C library."""
    if x.rank >= BEYOND:
        return g.elementwise(name, x)
    sizes = x.tensor.shape
    stored = Ref(x.tensor, identity(x.rank), x.precision)
    wide = g.reshape(stored, (*(1,) * (BEYOND - x.rank), *sizes))
    made = g.elementwise(name, wide)
    return Ref(g.reshape(made, sizes).tensor, x.order, made.precision)


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


class Arithmetic:
    """Formulas on FLOAT32; numbers become constants."""

    def __init__(self, g: Emitter) -> None:
        self.g = g

    def __call__(self, name: str, *operands: Ref | ArrayLike) -> Ref:
        refs = [self.of(o) for o in operands]
        if name in EXACT:
            return exactly(self.g, name, refs[0])
        return self.g.elementwise(name, *refs)

    def of(self, operand: Ref | ArrayLike) -> Ref:
        return operand if isinstance(operand, orders.Ref) else self.g.constant(operand, np.float32)

    def where(self, mask: Ref, yes: Ref | ArrayLike, no: Ref | ArrayLike) -> Ref:
        return self.g.where(mask, self.of(yes), self.of(no))

    def polynomial(self, x: Ref, coefficients: Sequence[float]) -> Ref:
        """By Horner's scheme, the highest power first."""
        result = self.of(coefficients[0])
        for number in coefficients[1:]:
            result = self("ADD", self("MUL", result, x), number)
        return result

    def log1p(self, x: Ref) -> Ref:
        """log(1 + x) with the rounding of the sum divided out again (W. Kahan)."""
        total = self("ADD", x, 1)
        log = self("LOG", total)
        part = self("MUL", log, self("DIV", x, self("SUB", total, 1)))
        part = self.where(self("EQUAL", total, x), log, part)
        return self.where(self("EQUAL", total, 1), x, part)

    def expm1(self, x: Ref) -> Ref:
        """exp(x) - 1 = tanh(x / 2) (exp(x) + 1)."""
        half = self("TANH", self("MUL", x, 0.5))
        return self("MUL", half, self("ADD", self("EXP", x), 1))

    def signed(self, size: Ref, x: Ref) -> Ref:
        """`size` with the sign of `x`."""
        return self.where(self("LESS", x, 0), self("NEG", size), size)


@table.lower(unary.abs_)
def abs_(g: Emitter, input: Value) -> Ref:
    if input.precision == Precision.INT64:
        return g.elementwise("MAXIMUM", input, g.elementwise("NEG", input))
    return g.take(input) if input.dtype.kind == "u" else g.elementwise("ABS", input)


@table.lower(unary.neg)
def neg(g: Emitter, input: Value) -> Ref:
    if input.dtype.kind == "u":
        return g.elementwise("SUB", g.number(0, input), input)
    return g.elementwise("NEG", input)


@table.lower(unary.square)
def square(g: Emitter, input: Value) -> Ref:
    return g.elementwise("MUL", input, input)


@table.lower(unary.sign)
def sign(g: Emitter, input: Value) -> Ref:
    """NaN stays NaN, which the kernel makes 0."""
    if input.is_float:
        f, x = Arithmetic(g), real(g, input)
        return f.where(f("NOT_EQUAL", x, x), x, f("SIGN", x))
    zero = g.number(0, input)
    above = g.elementwise("GREATER", input, zero)
    below = g.elementwise("LESS", input, zero)
    found = [g.cast(m, input.precision) for m in (above, below)]
    return g.elementwise("SUB", *found)


@table.lower(unary.reciprocal)
def reciprocal(g: Emitter, input: Value) -> Ref:
    return g.elementwise("DIV", g.number(1, input), input)


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
    return Ref(made.tensor, made.order, made.tensor.precision)


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    ref = g.take(input)
    if Precision.BOOL8 in (input.precision, dtype) or not has_kernel("RESHAPE", dtype):
        raise NoLowering(f"litert has no bit cast of {input.type} to {dtype.name}")
    if input.precision != ref.tensor.precision:  # a half in FLOAT32
        (half,) = g.emit("CAST", [ref], [(input.precision, ref.tensor.shape)])
        ref = Ref(half, ref.order, input.precision)
    made = g.same_bits(ref, dtype)
    if dtype in (Precision.FLOAT16, Precision.BFLOAT16):
        (wide,) = g.emit("CAST", [made], [(FLOAT, made.tensor.shape)])
        return Ref(wide, made.order, dtype)
    return made


# Functions that LiteRT has no kernel of, by formulas that lose nothing near 0.


@table.each({unary.log2: 2.0, unary.log10: 10.0})
def _logarithm(g: Emitter, base: float, input: Value) -> Ref:
    """Whole where it is a power of the base."""
    f, x = Arithmetic(g), real(g, input)
    made = f("MUL", f("LOG", x), 1 / math.log(base))
    whole = f("ROUND", made)
    exact = f("EQUAL", f("POW", base, whole), x)
    return f.where(exact, whole, made)


def ones_like(g: Emitter, x: Ref) -> Ref:
    """1 everywhere in the shape of `x`."""
    if all(isinstance(d, int) for d in x.tensor.shape):
        return g.ordered(g.constant(np.ones(numbers(x.shape), np.float32)), x.order)
    f = Arithmetic(g)
    return g.cast(f("EQUAL", x, x), FLOAT)


def angle(g: Emitter, y: Ref, x: Ref) -> Ref:
    """ATAN2, whose kernel wants equal shapes."""
    return g.compute("ATAN2", [y, g.ordered(x, y.order)], y.tensor.shape, y.order)


# W. J. Cody, Rational Chebyshev approximations for the error function, Math. Comp. 23 (1969).
# W. H. Press and others, Numerical Recipes, 6.2: erfc(x) = t exp(-x^2 + P(t)) for x >= 0 and
# t = 1 / (1 + x / 2), with a relative error below 1.2e-7.
def flatten(g: Emitter, operand: Operand) -> Ref:
    """The elements as a vector."""
    ref = g.plain(operand)
    count: Any = 1
    for size in ref.shape:
        count = count * size
    return g.reshape(ref, (count,))
