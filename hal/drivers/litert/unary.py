"""Elementwise functions of one tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Operand, Ref, identity
from .kernels import has_kernel
from .static import numbers

table = Lowerings()
BOOL, FLOAT = Precision.BOOL8, Precision.FLOAT32

ROUNDINGS = {unary.ceil: "CEIL", unary.floor: "FLOOR", unary.round_: "ROUND"}
CURVES = {
    unary.cos: "COS",
    unary.exp: "EXP",
    unary.log: "LOG",
    unary.rsqrt: "RSQRT",
    unary.sin: "SIN",
    unary.sqrt: "SQRT",
}
"""XNNPACK's kernels of these fail for large numbers or for NaN: the square root from 8e37 on, the
exponential from 88.4 on, sines of more than a few turns."""

BEYOND = 7
"""XNNPACK takes tensors of up to 6 axes and leaves others to LiteRT's own kernels."""


EXACT = frozenset({"COS", "EXP", "LOG", "SIN"})


def _rounding(operator: Operator, name: str) -> None:
    @table.lower(operator)
    def lower(g: Emitter, input: Value) -> Any:
        return g.elementwise(name, input)


for _operator, _name in ROUNDINGS.items():
    _rounding(_operator, _name)


def _curve(operator: Operator, name: str) -> None:
    @table.lower(operator)
    def lower(g: Emitter, input: Value) -> Any:
        return exactly(g, name, real(g, input))


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
    ref = g.of(input)
    if ref.tensor.precision != FLOAT:
        raise NoLowering(f"litert computes no {input.precision.name} functions, only FLOAT32")
    return ref


for _operator, _name in CURVES.items():
    _curve(_operator, _name)


class Arithmetic:
    """Formulas on FLOAT32; numbers become constants."""

    def __init__(self, g: Emitter) -> None:
        self.g = g

    def __call__(self, name: str, *operands: Any) -> Ref:
        refs = [self.of(o) for o in operands]
        if name in EXACT:
            return exactly(self.g, name, refs[0])
        logical = name in ("LESS", "GREATER", "EQUAL", "NOT_EQUAL", "LESS_EQUAL", "GREATER_EQUAL")
        return self.g.elementwise(name, *refs, precision=BOOL if logical else None)

    def of(self, operand: Any) -> Ref:
        return operand if isinstance(operand, Ref) else self.g.constant(operand, np.float32)

    def where(self, mask: Ref, yes: Any, no: Any) -> Ref:
        return self.g.where(mask, self.of(yes), self.of(no))

    def polynomial(self, x: Ref, coefficients: Any) -> Ref:
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
def abs_(g: Emitter, input: Value) -> Any:
    if input.precision == Precision.INT64:
        return g.elementwise("MAXIMUM", input, g.elementwise("NEG", input))
    return g.ref(input) if input.dtype.kind == "u" else g.elementwise("ABS", input)


@table.lower(unary.neg)
def neg(g: Emitter, input: Value) -> Any:
    if input.dtype.kind == "u":
        return g.elementwise("SUB", g.number(0, input), input)
    return g.elementwise("NEG", input)


@table.lower(unary.square)
def square(g: Emitter, input: Value) -> Any:
    return g.elementwise("MUL", input, input)


@table.lower(unary.sign)
def sign(g: Emitter, input: Value) -> Any:
    """NaN stays NaN, which the kernel makes 0."""
    if input.is_float:
        f, x = Arithmetic(g), real(g, input)
        return f.where(f("NOT_EQUAL", x, x), x, f("SIGN", x))
    zero = g.number(0, input)
    above = g.elementwise("GREATER", input, zero, precision=BOOL)
    below = g.elementwise("LESS", input, zero, precision=BOOL)
    found = [g.cast(m, input.precision) for m in (above, below)]
    return g.elementwise("SUB", *found)


@table.lower(unary.reciprocal)
def reciprocal(g: Emitter, input: Value) -> Any:
    return g.elementwise("DIV", g.number(1, input), input)


@table.lower(unary.assign)
def assign(g: Emitter, input: Value) -> Any:
    return g.ref(input)


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Any:
    if input.precision == dtype:
        return g.ref(input)
    if input.precision == Precision.FLOAT64 and dtype in (Precision.FLOAT16, Precision.BFLOAT16):
        raise NoLowering(f"litert rounds FLOAT64 to {dtype.name} twice")
    made = g.cast(input, dtype)
    return Ref(made.tensor, made.order, made.tensor.precision)


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Any:
    ref = g.of(input)
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


def _logarithm(operator: Operator, base: float) -> None:
    @table.lower(operator)
    def lower(g: Emitter, input: Value) -> Any:
        """Whole where it is a power of the base."""
        f, x = Arithmetic(g), real(g, input)
        made = f("MUL", f("LOG", x), 1 / math.log(base))
        whole = f("ROUND", made)
        exact = f("EQUAL", f("POW", base, whole), x)
        return f.where(exact, whole, made)


_logarithm(unary.log2, 2.0)
_logarithm(unary.log10, 10.0)


@table.lower(unary.tan)
def tan(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    return f("DIV", f("SIN", x), f("COS", x))


def ones_like(g: Emitter, x: Ref) -> Ref:
    """1 everywhere in the shape of `x`."""
    if all(isinstance(d, int) for d in x.tensor.shape):
        return g.ordered(g.constant(np.ones(numbers(x.shape), np.float32)), x.order)
    f = Arithmetic(g)
    return g.cast(f("EQUAL", x, x), FLOAT)


def angle(g: Emitter, y: Ref, x: Ref) -> Ref:
    """ATAN2, whose kernel wants equal shapes."""
    return g.compute("ATAN2", [y, g.ordered(x, y.order)], y.tensor.shape, y.order)


@table.lower(unary.atan)
def atan(g: Emitter, input: Value) -> Any:
    x = real(g, input)
    return angle(g, x, ones_like(g, x))


def _leg(f: Arithmetic, x: Ref) -> Ref:
    """sqrt(1 - x^2)."""
    return f("SQRT", f("MUL", f("SUB", 1, x), f("ADD", 1, x)))


@table.lower(unary.asin)
def asin(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    return angle(g, x, _leg(f, x))


@table.lower(unary.acos)
def acos(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    return angle(g, _leg(f, x), x)


@table.lower(unary.sinh)
def sinh(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    root = f("EXP", f("MUL", f("ABS", x), 0.5))
    grown, rest = f("MUL", f("MUL", root, 0.5), root), f("DIV", f("DIV", 0.5, root), root)
    half = f("TANH", f("MUL", x, 0.5))
    near = f("DIV", f("ADD", half, half), f("SUB", 1, f("MUL", half, half)))
    far = f.signed(f("SUB", grown, rest), x)
    return f.where(f("GREATER", f("ABS", x), 1), far, near)


@table.lower(unary.cosh)
def cosh(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    root = f("EXP", f("MUL", f("ABS", x), 0.5))
    return f("ADD", f("MUL", f("MUL", root, 0.5), root), f("DIV", f("DIV", 0.5, root), root))


HUGE = 1e9
"""From here on 1 is nothing beside the square."""


@table.lower(unary.asinh)
def asinh(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    size = f("ABS", x)
    near = f("MINIMUM", size, HUGE)
    squared = f("MUL", near, near)
    root = f("ADD", f("SQRT", f("ADD", squared, 1)), 1)
    log = f.log1p(f("ADD", near, f("DIV", squared, root)))
    far = f("ADD", f("LOG", size), math.log(2))
    made = f.signed(f.where(f("LESS", size, HUGE), log, far), x)
    return f.where(f("NOT_EQUAL", x, x), x, made)


@table.lower(unary.acosh)
def acosh(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    over = f("SUB", x, 1)
    root = f("SQRT", f("MUL", over, f("ADD", x, 1)))
    far = f("ADD", f("LOG", x), math.log(2))
    return f.where(f("GREATER", x, HUGE), far, f.log1p(f("ADD", over, root)))


@table.lower(unary.atanh)
def atanh(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    ratio = f("DIV", f("ADD", x, x), f("SUB", 1, x))
    return f("MUL", f.log1p(ratio), 0.5)


# W. J. Cody, Rational Chebyshev approximations for the error function, Math. Comp. 23 (1969).
_NEAR = (
    (0.185777706, 3.16112374, 113.864154, 377.485238, 3209.37759),
    (1.0, 23.6012910, 244.024638, 1282.61653, 2844.23683),
)
_FAR = (
    *(2.15311535e-8, 0.564188497, 8.88314979, 66.1191906, 298.635138),
    *(881.952221, 1712.04761, 2051.07838, 1230.33935),
)
_BELOW = (
    *(1.0, 15.7449261, 117.693951, 537.181102, 1621.38957),
    *(3290.79924, 4362.61909, 3439.36767, 1230.33935),
)


@table.lower(unary.erf)
def erf(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    size = f("MINIMUM", f("ABS", x), 5)
    squared = f("MUL", size, size)
    ratio = f("DIV", f.polynomial(squared, _NEAR[0]), f.polynomial(squared, _NEAR[1]))
    rest = f("DIV", f.polynomial(size, _FAR), f.polynomial(size, _BELOW))
    far = f("SUB", 1, f("MUL", f("EXP", f("NEG", squared)), rest))
    made = f.where(f("LESS", size, 0.46875), f("MUL", x, ratio), f.signed(far, x))
    return f.where(f("NOT_EQUAL", x, x), x, made)


# W. H. Press and others, Numerical Recipes, 6.2: erfc(x) = t exp(-x^2 + P(t)) for x >= 0 and
# t = 1 / (1 + x / 2), with a relative error below 1.2e-7.
_ERFC = (
    *(0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807),
    *(-0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223),
)


@table.lower(unary.erfc)
def erfc(g: Emitter, input: Value) -> Any:
    f, x = Arithmetic(g), real(g, input)
    size = f("ABS", x)
    t = f("DIV", 1, f("ADD", f("MUL", size, 0.5), 1))
    power = f("EXP", f("SUB", f.polynomial(t, _ERFC), f("MUL", size, size)))
    made = f("MUL", t, power)
    return f.where(f("LESS", x, 0), f("SUB", 2, made), made)


def flattened(g: Emitter, operand: Operand) -> Ref:
    """The elements as a vector."""
    ref = g.plain(operand)
    count: Any = 1
    for size in ref.shape:
        count = count * size
    return g.reshape(ref, (count,))
