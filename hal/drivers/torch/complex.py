"""Complex numbers."""

from __future__ import annotations

from typing import Any

import torch

from nnir.model import Value
from nnir.ops import complex

from ...lowering import Lowerings
from .emitter import Emitter, Result

table = Lowerings[Result]()


@table.lower(complex.complex_)
def complex_(g: Emitter, real: Value, imag: Value) -> Result:
    return torch.complex(*_broadcast(g, real, imag))


def _broadcast(g: Emitter, *values: Value) -> list[Any]:
    operands = [g.raw(v) for v in values]
    if values[0].shape == values[1].shape:
        return operands
    both = g.call(torch.broadcast_tensors, *operands)
    return [both[0], both[1]]


@table.lower(complex.real)
def real(g: Emitter, input: Value) -> Result:
    return torch.real(g.raw(input))


@table.lower(complex.imag)
def imag(g: Emitter, input: Value) -> Result:
    return torch.imag(g.raw(input))


@table.lower(complex.angle)
def angle(g: Emitter, input: Value) -> Result:
    return torch.angle(g.raw(input))


@table.lower(complex.conj)
def conj(g: Emitter, input: Value) -> Result:
    return torch.conj_physical(g.raw(input))


@table.lower(complex.complex_to_pairs)
def complex_to_pairs(g: Emitter, input: Value) -> Result:
    return torch.view_as_real(g.raw(input))


@table.lower(complex.pairs_to_complex)
def pairs_to_complex(g: Emitter, input: Value) -> Result:
    pairs = g.raw(input)
    return torch.complex(pairs.select(-1, 0), pairs.select(-1, 1))


@table.lower(complex.polar)
def polar(g: Emitter, size: Value, angle: Value) -> Result:
    length, turn = _broadcast(g, size, angle)
    return torch.complex(length * torch.cos(turn), length * torch.sin(turn))
