"""Elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from . import activation
from .elements import CARRIED, NARROW
from .emitter import Emitter, Ref
from .finite import keep_nan
from .forms import Single, Table
from .integers import compute_in_32_bits, wrap
from .narrow import decode, encode, same_bits

table = Table()
UINT32 = Precision.UINT32


table.natives(
    {
        unary.acos: "Acos",
        unary.acosh: "Acosh",
        unary.asin: "Asin",
        unary.asinh: "Asinh",
        unary.atan: "Atan",
        unary.atanh: "Atanh",
        unary.ceil: "Ceiling",
        unary.cos: "Cos",
        unary.cosh: "Cosh",
        unary.erf: "Erf",
        unary.floor: "Floor",
        unary.log: "Log",
        unary.round_: "Round",
        unary.sin: "Sin",
        unary.sinh: "Sinh",
        unary.sqrt: "Sqrt",
        unary.tan: "Tan",
    }
)
table.formulas(
    {
        unary.exp: lambda g, x: keep_nan(g, x, g.node("Exp", x)),
        unary.neg: lambda g, x: -x if x.is_float else 0 - x,
        unary.reciprocal: lambda g, x: 1 / x,
        unary.rsqrt: lambda g, x: 1 / g.node("Sqrt", x),
        unary.sign: lambda g, x: keep_nan(g, x, g.node("Sign", x)),
        unary.square: lambda g, x: x * x,
    },
)


@table.lower(unary.assign)
def assign(g: Emitter, input: Value) -> Ref:
    return g.take(input)


@table.lower(unary.abs_)
def abs_(g: Emitter, input: Value) -> Ref:
    return g.take(input) if input.dtype.kind == "u" else compute_in_32_bits(g, abs, input)


@table.lower(unary.expm1)
def expm1(g: Emitter, input: Single) -> Ref:
    made = g.where(abs(input) > 30, g.node("Exp", input) - 1, activation.expm1(g, input))
    return keep_nan(g, input, made)


@table.lower(unary.log1p)
def log1p(g: Emitter, input: Single) -> Ref:
    return g.where(abs(input) > 0.5, g.node("Log", input + 1), activation.log_of_sum(g, input))


@table.each({unary.log2: 2.0, unary.log10: 10.0})
def _logarithm(g: Emitter, base: float, input: Single) -> Ref:
    """Rounded to the whole number whose power the input is, where it is one."""
    made = g.node("Log", input) * (1 / np.log(base))
    near = g.node("Round", made)
    return g.where(g.pair("Power", base, near).equal(input), near, made)


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    if input.precision == dtype:
        return g.take(input)
    if input.precision in CARRIED:
        return decode(g, input, dtype)
    if dtype in CARRIED:
        return encode(g, input, dtype)
    g.need(
        UINT32 not in (input.precision, dtype),
        f"computes UINT32 as INT32: cast of {input.type} to {dtype.name}",
    )
    if dtype == Precision.BOOL8:
        return g.take(input).unequal(0)
    return wrap(g, g.cast(input, Precision.INT32) if dtype in NARROW else g.take(input), dtype)


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    both = {input.precision, dtype}
    if CARRIED & both:
        return same_bits(g, input, dtype)
    is_byte = input.precision == Precision.BOOL8 and dtype.dtype.itemsize == 1
    if is_byte or (input.precision, dtype) == (UINT32, Precision.INT32):
        return g.cast(input, dtype)
    g.need(
        UINT32 not in both and {p.dtype.kind for p in both} <= {"i", "u"},
        f"has no bit cast of {input.type} to {dtype.name}",
    )
    return cast(g, input, dtype=dtype)
