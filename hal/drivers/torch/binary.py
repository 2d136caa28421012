"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import binary
from nnir.types import Precision

from .dtypes import LOWEST
from .emitter import Emitter, Formulas, Result

table = Formulas()
table.fuse(Emitter.fused)


@table.each(
    {
        binary.add: torch.add,
        binary.atan2: torch.atan2,
        binary.mul: torch.mul,
        binary.sub: torch.sub,
    }
)
def _arithmetic(
    g: Emitter, function: Callable[[Any, Any], Any], input0: Value, input1: Value
) -> Result:
    """Operations whose result does not depend on what wider numbers hold above."""
    return g.back(function(g.of(input0), g.of(input1)), input0.precision)


@table.each({binary.max_: torch.maximum, binary.min_: torch.minimum})
def _extreme(
    g: Emitter, function: Callable[[Any, Any], Any], input0: Value, input1: Value
) -> Result:
    return g.disordered(function(g.ordered(input0), g.ordered(input1)), input0.precision)


def divisible(
    g: Emitter, input0: Value, input1: Value
) -> tuple[Result, Result, Result | None, Result | None]:
    """Integers, and their divisors without 0 and -1, by which processors trap; where those are."""
    a, b = g.of(input0), g.of(input1)
    known = input1.known
    if known is not None and not np.isin(known, (0, -1)).any():
        return a, b, None, None
    nothing = b == 0
    minus = b == -1 if input0.dtype.kind == "i" else None
    bad = nothing if minus is None else nothing | minus
    return a, torch.where(bad, torch.ones_like(b), b), nothing, minus


def _divide_unsigned(a: Any, b: Any) -> tuple[Any, Any]:
    """Quotient and remainder of numbers of 64 bits that are viewed as signed ones.

    Half of `a` is positive; twice its quotient is right or 1 less (H. Warren, Hacker's Delight).
    """
    half = (a >> 1) & (2**63 - 1)
    quotient = torch.div(half, torch.where(b < 0, 1, b), rounding_mode="trunc") << 1
    quotient = torch.where(b < 0, 0, quotient)
    rest = a - quotient * b
    more = (rest ^ LOWEST) >= (b ^ LOWEST)
    return quotient + more.to(torch.int64), torch.where(more, rest - b, rest)


def _quotient(g: Emitter, input0: Value, input1: Value, mode: str) -> Result:
    a, b, nothing, minus = divisible(g, input0, input1)
    if input0.precision == Precision.UINT64:
        made = _divide_unsigned(a, b)[0]
        return made if nothing is None else torch.where(nothing, 0, made)
    made = torch.div(a, b, rounding_mode=mode)
    made = made if minus is None else torch.where(minus, -a, made)
    return made if nothing is None else torch.where(nothing, 0, made)


@table.each({binary.div: "trunc", binary.floor_div: "floor"})
def _divide(g: Emitter, mode: str, input0: Value, input1: Value) -> Result:
    if input0.is_integer:
        made = _quotient(g, input0, input1, mode)
    else:
        rounding = None if mode == "trunc" else mode
        made = torch.div(g.of(input0), g.of(input1), rounding_mode=rounding)
    return g.back(made, input0.precision)


@table.lower(binary.pow_)
def pow_(g: Emitter, input0: Value, input1: Value) -> Result:
    if input0.precision == Precision.UINT64:
        raise NoLowering("torch has no powers of UINT64")
    known: Any = input1.known
    is_number = input0.is_float and known is not None and known.size == 1
    is_number = is_number and input0.rank >= input1.rank
    power: Any = float(known.reshape(-1)[0]) if is_number else g.of(input1)
    return g.back(torch.pow(g.of(input0), power), input0.precision)


@table.lower(binary.mod)
def mod(g: Emitter, input0: Value, input1: Value, *, fmod: bool) -> Result:
    function = torch.fmod if fmod else torch.remainder
    if input0.is_float:
        return g.back(function(g.of(input0), g.of(input1)), input0.precision)
    a, b, nothing, minus = divisible(g, input0, input1)
    made = _divide_unsigned(a, b)[1] if input0.precision == Precision.UINT64 else function(a, b)
    made = made if minus is None else torch.where(minus, 0, made)
    made = made if nothing is None else torch.where(nothing, 0, made)
    return g.back(made, input0.precision)


@table.formula(binary.hypot)
def hypot(input0: Result, input1: Result) -> Result:
    """An infinity wins over NaN, which torch's vectors forget."""
    endless = torch.isinf(input0) | torch.isinf(input1)
    return torch.where(endless, torch.inf, torch.hypot(input0, input1))


@table.lower(binary.gcd)
def gcd(g: Emitter, input0: Value, input1: Value) -> Result:
    if input0.precision == Precision.UINT64:
        raise NoLowering("torch has no gcd of UINT64")
    return g.back(torch.gcd(g.of(input0), g.of(input1)), input0.precision)


@table.lower(binary.next_after)
def next_after(g: Emitter, input0: Value, input1: Value) -> Result:
    kinds = (Precision.FLOAT32, Precision.FLOAT64, Precision.BFLOAT16)
    if input0.precision not in kinds:
        raise NoLowering(f"torch has no nextafter of {input0.precision.name}")
    return torch.nextafter(g.raw(input0), g.raw(input1))


@table.lower(binary.sum_)
def sum_(g: Emitter, *input: Value) -> Result:
    return g.back(functools.reduce(torch.add, map(g.of, input)), input[0].precision)
