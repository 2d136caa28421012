"""Elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from ...lowering import Lowerings
from . import elements
from .activation import expm1 as expm1_of
from .activation import log_of_sum
from .elements import NAMES
from .emitter import Emitter, Ref
from .finite import keep_nan
from .integers import compute_in_32_bits, lower_in_32_bits, wrap
from .narrow import decode, encode, same_bits

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


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
        unary.sin: "Sin",
        unary.sinh: "Sinh",
        unary.sqrt: "Sqrt",
        unary.tan: "Tan",
    }
)


@table.lower(unary.assign)
def assign(g: Emitter, input: Value) -> Ref:
    return g.take(input)


@table.lower(unary.abs_)
def abs_(g: Emitter, input: Value) -> Ref:
    if input.dtype.kind == "u":
        return g.take(input)
    return compute_in_32_bits(g, abs, input)


lower_in_32_bits(
    table,
    {
        unary.neg: lambda x: -x if x.is_float else 0 - x,
        unary.sign: lambda x: keep_nan(x.emitter, x, x.emitter.node("Sign", x)),
        unary.square: lambda x: x * x,
    },
)


@table.lower(unary.exp)
def exp(g: Emitter, input: Value) -> Ref:
    """OpenVINO's own makes infinity of NaN."""
    return keep_nan(g, input, g.node("Exp", input))


@table.lower(unary.round_)
def round_(g: Emitter, input: Value) -> Ref:
    return g.node("Round", input, mode="half_to_even")


@table.lower(unary.rsqrt)
def rsqrt(g: Emitter, input: Value) -> Ref:
    root: Ref = g.node("Sqrt", input)
    return 1 / root


@table.lower(unary.reciprocal)
def reciprocal(g: Emitter, input: Value) -> Ref:
    return 1 / g.take(input)


@table.lower(unary.expm1)
def expm1(g: Emitter, input: Value) -> Ref:
    x = g.cast(input, FLOAT32)
    far = abs(x) > 30
    made = g.where(far, g.node("Exp", x) - 1, expm1_of(g, x))
    return keep_nan(g, x, made)


@table.lower(unary.log1p)
def log1p(g: Emitter, input: Value) -> Ref:
    x = g.cast(input, FLOAT32)
    return g.where(abs(x) > 0.5, g.node("Log", x + 1), log_of_sum(g, x))


@table.each({unary.log2: 2.0, unary.log10: 10.0})
def _logarithm(g: Emitter, base: float, input: Value) -> Ref:
    """Rounded to the whole number whose power the input is, where it is one."""
    x = g.cast(input, FLOAT32)
    made = g.node("Log", x) * (1 / np.log(base))
    near = g.node("Round", made, mode="half_to_even")
    whole = g.pair("Power", base, near).equal(x)
    return g.where(whole, near, made)


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    if input.precision in elements.CARRIED and input.precision != dtype:
        return decode(g, input, dtype)
    if dtype in elements.CARRIED and input.precision != dtype:
        return encode(g, input, dtype)
    if dtype not in NAMES and input.precision != dtype:
        raise NoLowering(f"openvino does not compute in {dtype.name}")
    if Precision.UINT32 in (input.precision, dtype):
        raise NoLowering(f"openvino computes UINT32 as INT32: cast of {input.type} to {dtype.name}")
    ref = g.take(input)
    if dtype == input.precision:
        return ref
    if dtype == Precision.BOOL8:
        return ref.unequal(0)
    if dtype in elements.NARROW:
        return wrap(g, ref.cast(Precision.INT32), dtype)
    return ref


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    if elements.CARRIED & {input.precision, dtype}:
        return same_bits(g, input, dtype)
    if input.precision == Precision.BOOL8 and dtype.dtype.itemsize == 1:
        return g.cast(input, dtype)
    if (input.precision, dtype) == (Precision.UINT32, Precision.INT32):
        return g.cast(input, dtype)
    kinds = {p.dtype.kind for p in (input.precision, dtype)}
    if not kinds <= {"i", "u"} or Precision.UINT32 in (input.precision, dtype):
        raise NoLowering(f"openvino has no bit cast of {input.type} to {dtype.name}")
    return cast(g, input, dtype=dtype)
