"""Logical and bitwise operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import logic
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Result

table = Lowerings[Result]()

FUNCTIONS: dict[Operator, Callable[[Any, Any], Any]] = {
    logic.and_: torch.logical_and,
    logic.or_: torch.logical_or,
    logic.xor: torch.logical_xor,
    logic.bitwise_and: torch.bitwise_and,
    logic.bitwise_or: torch.bitwise_or,
    logic.bitwise_xor: torch.bitwise_xor,
}


def _lowering_of(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def lowering(g: Emitter, input0: Value, input1: Value) -> Result:
        return g.unbits(function(g.bits(input0), g.bits(input1)), input0.precision)

    return lowering


for operator, function in FUNCTIONS.items():
    table.lower(operator)(_lowering_of(function))


@table.lower(logic.not_)
def not_(g: Emitter, input: Value) -> Result:
    return torch.logical_not(g.raw(input))


@table.lower(logic.bitwise_not)
def bitwise_not(g: Emitter, input: Value) -> Result:
    return g.unbits(torch.bitwise_not(g.bits(input)), input.precision)


@table.lower(logic.bit_shift)
def bit_shift(g: Emitter, input0: Value, input1: Value, *, left: bool) -> Result:
    x, by = g.of(input0), g.of(input1)
    inside = (by >= 0) & (by < input0.dtype.itemsize * 8)
    count = torch.where(inside, by, 0)
    if left:
        return g.back(torch.where(inside, x << count, 0), input0.precision)
    if input0.precision == Precision.UINT64:  # whose highest bit is no sign
        moved = torch.where(count > 0, ((x >> 1) & (2**63 - 1)) >> (count - 1).clamp(min=0), x)
        return g.back(torch.where(inside, moved, 0), input0.precision)
    signs = torch.where(x < 0, -1, torch.zeros_like(x))
    return g.back(torch.where(inside, x >> count, signs), input0.precision)
