"""Elementwise functions of one tensor."""

from __future__ import annotations

from typing import Any

import torch

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from . import cuda
from .dtypes import dtype_of
from .emitter import Emitter, Formulas, Result, Results

table = Formulas()

table.functions(
    {
        unary.cos: torch.cos,
        unary.exp: torch.exp,
        unary.floor: torch.floor,
        unary.log: torch.log,
        unary.rsqrt: lambda x: torch.reciprocal(torch.sqrt(x)),
        unary.sin: torch.sin,
        unary.square: lambda x: x * x,
        unary.neg: torch.neg,
        unary.sqrt: torch.sqrt,
        unary.ceil: torch.ceil,
        unary.round_: torch.round,
        unary.erf: torch.erf,
        unary.tan: torch.tan,
        unary.asin: torch.asin,
        unary.acos: torch.acos,
        unary.atan: torch.atan,
        unary.sinh: torch.sinh,
        unary.cosh: torch.cosh,
        unary.asinh: torch.asinh,
        unary.acosh: torch.acosh,
        unary.atanh: torch.atanh,
        unary.reciprocal: torch.reciprocal,
        unary.expm1: torch.expm1,
        unary.log1p: torch.log1p,
        unary.log2: torch.log2,
        unary.log10: torch.log10,
        unary.erfc: torch.erfc,
    }
)


@table.lower(unary.abs_)
def abs_(g: Emitter, input: Value) -> Result:
    if input.dtype.kind == "u":
        return g.raw(input)
    return g.back(torch.abs(g.of(input)), input.precision)


@table.lower(unary.sign)
def sign(g: Emitter, input: Value) -> Result:
    """torch gives 0 for NaN."""
    x = g.of(input)
    if input.precision == Precision.UINT64:
        return g.back((x != 0).to(torch.int64), input.precision)
    made = torch.where(torch.isnan(x), x, torch.sign(x)) if input.is_float else torch.sign(x)
    return g.back(made, input.precision)


@table.lower(unary.frexp)
def frexp(g: Emitter, input: Value) -> Results:
    x = g.of(input)
    both = torch.frexp(x)
    exponent = torch.where(torch.isfinite(x), both[1], 0)
    return g.back(both[0], input.precision), exponent.to(torch.int32)


@table.lower(unary.assign)
def assign(g: Emitter, input: Value) -> Result:
    return g.raw(input)


@table.lower(unary.cast)
def cast(g: Emitter, input: Value, *, dtype: Precision) -> Result:
    x, wanted = g.raw(input), dtype_of(dtype)
    if dtype == input.precision:
        return x
    if dtype == Precision.BOOL8:
        return g.of(input) != 0
    from_float = input.is_float
    if input.dtype.kind == "c" and dtype.dtype.kind != "c":
        x, from_float = torch.real(x), True
    if dtype.dtype.itemsize == 1 and dtype.is_float:
        x = _bound_float8(x.to(torch.float32), dtype)
    if input.is_float and input.dtype.itemsize == 1:
        x = x.to(torch.float32)
    if from_float and dtype.dtype.kind == "u":
        x = _to_integers(g, _wrap_uint64(x) if dtype == Precision.UINT64 else x, torch.int64)
    elif from_float and dtype.dtype.kind == "i":
        x = _to_integers(g, x, wanted)
    if dtype in unary.BITS:
        whole = _to_integers(g, x, torch.int32) if from_float else x.to(torch.int32)
        return _low_bits(whole, dtype).to(wanted)
    return x.to(wanted)


def _to_integers(g: Emitter, x: Any, kind: torch.dtype) -> Any:
    return g.call(cuda.cut, x, kind) if g.on_cuda else x.to(kind)


def _low_bits(x: Any, dtype: Precision) -> Any:
    """Integers that wrap to fewer bits than a byte has."""
    width = unary.BITS[dtype]
    low = x & (1 << width) - 1
    half = 1 << (width - 1)
    return (low ^ half) - half if dtype in (Precision.INT4, Precision.INT2) else low


def _bound_float8(x: Any, dtype: Precision) -> Any:
    """What an 8-bit float cannot hold as NaN, where torch takes the nearest that it can."""
    if dtype == Precision.FLOAT8E4M3FN:  # 464 is half way between 448 and what would come next
        return torch.where(torch.abs(x) > 464, torch.nan, x)
    return torch.where(x <= 0, torch.nan, x) if dtype == Precision.FLOAT8E8M0FNU else x


def _wrap_uint64(x: Any) -> Any:
    """Floats above the range of int64 2**64 less: as integers they wrap to what they were."""
    wide = x.to(torch.float64)
    return torch.where(wide >= 2.0**63, wide - 2.0**64, wide)


@table.lower(unary.bit_cast)
def bit_cast(g: Emitter, input: Value, *, dtype: Precision) -> Result:
    if Precision.BOOL8 in (dtype, input.precision) and dtype != input.precision:
        raise NoLowering(f"torch has no bits of {input.type} as {dtype.name}")
    if dtype in unary.BITS:
        return _low_bits(g.raw(input).to(torch.int32), dtype).to(dtype_of(dtype))
    return g.raw(input).view(dtype_of(dtype))
