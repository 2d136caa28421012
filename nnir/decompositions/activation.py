"""Activations."""

from __future__ import annotations

import numpy as np

from .. import build
from ..decomposition import Level
from ..errors import Unsupported
from ..model import Value
from ..ops import activation, binary, compare, random, reduce, shape, unary
from .real import real


@activation.hardmax.decomposes()
def _hardmax(input: Value, *, axis: int) -> Value:
    if 0 in input.shape:
        return unary.assign(input)
    largest = reduce.arg_max(input, axis=axis, keepdim=True)
    positions = build.arange_along(input, axis, aligned=True)
    return compare.equal(positions, largest).cast(input.precision)


@activation.softplus.decomposes(level=Level.ROUNDING)
@real(double=True)
def _softplus(input: Value, *, beta: float, threshold: float) -> Value:
    """max(0, x) + log(1 + exp(-|x|)), which keeps small results."""
    scaled = input if beta == 1 else input * beta
    rest = unary.log1p(unary.exp(-abs(scaled)))
    soft = binary.max_(scaled, scaled.scalar(0)) + rest
    return compare.where(scaled > threshold, input, soft if beta == 1 else soft / beta)


@activation.dropout.decomposes()
def _dropout(
    input: Value, ratio: Value, training: Value, *, seed: int | None
) -> tuple[Value, Value]:
    """The numbers of a seed are constants; without one every run draws others."""
    if _is_zero(ratio) or _is_zero(training):
        return input, shape.expand(input.model.constant(True), build.shape_of(input))
    if seed is None:
        draws = random.random_uniform(build.shape_of(input), low=0.0, high=1.0)
    elif input.is_static:
        sizes = [int(d) for d in input.shape]  # type: ignore[arg-type]  # static
        draws = input.model.constant(np.random.RandomState(seed).uniform(0, 1.0, sizes))
    else:
        raise Unsupported("DROPOUT with a seed, of a size that is only known while running")
    rate = shape.reshape(ratio.cast(draws.precision), [])
    rate = compare.where(shape.reshape(training, []), rate, rate.scalar(0))
    kept = draws >= rate
    scaled = input.cast(draws.precision) * (1 / (1 - rate)) * kept.cast(draws.precision)
    return scaled.cast(input.precision), kept


def _is_zero(value: Value) -> bool:
    """Whether a number is known to be 0, or false."""
    return value.known is not None and not value.known.any()


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
