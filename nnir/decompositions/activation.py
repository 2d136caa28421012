"""Activations."""

from __future__ import annotations

from .. import build
from ..decomposition import Level
from ..model import Value
from ..ops import activation, binary, compare, reduce, unary
from .real import real


@activation.hardmax.decomposes()
def _hardmax(input: Value, *, axis: int) -> Value:
    largest = reduce.arg_max(input, axis=axis, keepdim=True)
    positions = build.arange_along(input, axis, aligned=True)
    return compare.equal(positions, largest).cast(input.precision)


@unary.expm1.decomposes(level=Level.ROUNDING, ulps=4)
@real(double=True, complexes=True)
def _expm1(input: Value) -> Value:
    """exp(x) - 1 = tanh(x / 2) (exp(x) + 1), which loses nothing near 0."""
    return activation.tanh(input * 0.5) * (unary.exp(input) + 1)


@activation.elu.decomposes(level=Level.ROUNDING, ulps=5)
@real(double=True)
def _elu(input: Value, *, alpha: float) -> Value:
    return compare.where(input > 0, input, unary.expm1(input) * alpha)


@activation.celu.decomposes(level=Level.ROUNDING, ulps=5)
@real(double=True)
def _celu(input: Value, *, alpha: float) -> Value:
    below = unary.expm1(input / alpha) * alpha
    zero = input.scalar(0)
    return binary.max_(input, zero) + binary.min_(below, zero)
