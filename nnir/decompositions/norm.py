"""Normalisation by means, variances and norms, in float32 at least."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold

import numpy as np

from .. import build
from ..broadcast import axis_of
from ..decomposition import Level
from ..errors import Unsupported
from ..model import Value
from ..ops import binary, compare, index, norm, reduce, shape, unary
from .real import real

MOST_CHANNELS = 64
"""The window of LRN is written out channel by channel, so many at most."""


@norm.batch_normalization.decomposes(level=Level.ROUNDING)
@real(double=True)
def _batch_normalization(
    input: Value, scale: Value, bias: Value, mean: Value, variance: Value, *, epsilon: float
) -> Value:
    factor = _column(scale / unary.sqrt(variance + epsilon), input.rank)
    return (input - _column(mean, input.rank)) * factor + _column(bias, input.rank)


@norm.instance_normalization.decomposes(level=Level.ROUNDING)
@real(double=True)
def _instance_normalization(input: Value, scale: Value, bias: Value, *, epsilon: float) -> Value:
    even = _standardise(input, range(2, input.rank), epsilon)
    return even * _column(scale, input.rank) + _column(bias, input.rank)


@norm.group_normalization.decomposes(level=Level.ROUNDING)
@real(double=True)
def _group_normalization(
    input: Value, scale: Value, bias: Value, *, epsilon: float, groups: int
) -> Value:
    """Every group as one long channel."""
    sizes = build.sizes_of(input)
    inside = build.product([build.over(sizes[1], groups), *sizes[2:]])
    split = build.reshape(input, [sizes[0], groups, inside])
    one, zero = (input.model.constant(np.full(groups, n, input.dtype)) for n in (1, 0))
    even = norm.instance_normalization(split, one, zero, epsilon=epsilon)
    even = build.reshape(even, sizes)
    return even * _column(scale, input.rank) + _column(bias, input.rank)


@norm.layer_normalization.decomposes(level=Level.ROUNDING)
@real(double=True)
def _layer_normalization(
    input: Value, scale: Value, bias: Value, *, begin_norm_axis: int, epsilon: float
) -> Value:
    axes = range(axis_of(begin_norm_axis, input.rank), input.rank)
    return _standardise(input, axes, epsilon) * scale + bias


@norm.rms_normalization.decomposes(level=Level.ROUNDING)
@real(double=True)
def _rms_normalization(
    input: Value, scale: Value, *, begin_norm_axis: int, epsilon: float
) -> Value:
    axes = list(range(axis_of(begin_norm_axis, input.rank), input.rank))
    power = reduce.reduce_mean(unary.square(input), axes, keepdim=True)
    return input / unary.sqrt(power + epsilon) * scale


@norm.lp_normalization.decomposes(level=Level.ROUNDING)
@real(double=True)
def _lp_normalization(input: Value, *, axis: int, p: int, epsilon: float) -> Value:
    """Engines flush an epsilon that is no normal number to 0: it matters where the norm is 0."""
    if p == 1:
        size = reduce.reduce_sum(unary.abs_(input), [axis], keepdim=True)
    else:
        size = unary.sqrt(reduce.reduce_sum(unary.square(input), [axis], keepdim=True))
    if 0 < epsilon <= np.finfo(input.dtype).tiny:
        return input / compare.where(compare.equal(size, size.scalar(0)), size.scalar(1), size)
    return input / (size + epsilon)


@norm.lrn.decomposes(level=Level.ROUNDING)
@real(double=True)
def _lrn(input: Value, *, size: int, bias: float, alpha: float, beta: float) -> Value:
    """The squares of the neighbours, added one after the other: what takes back what it added, as
    it slides, keeps nothing of small squares beside a large one."""
    if size > MOST_CHANNELS:
        raise Unsupported(f"LRN over {size} channels, which is more than {MOST_CHANNELS}")
    before = (size - 1) // 2
    amounts = [0, 0, before, size - 1 - before, *[0, 0] * (input.rank - 2)]
    squares = shape.pad(unary.square(input), input.model.constant(amounts, "int32"))
    channels = build.size_of(input, 1)
    ends = [build.vector(input.model, [build.plus(channels, k)]) for k in range(size)]
    parts = [index.slice_(squares, [1], [k], end) for k, end in enumerate(ends)]
    base = fold(binary.add, parts) * (alpha / size) + bias
    return input / binary.pow_(base, base.scalar(beta))


def _standardise(x: Value, axes: Sequence[int], epsilon: float) -> Value:
    """Zero mean and unit (population) variance over axes."""
    along = list(axes)
    if not along:
        return x - x
    centred = x - reduce.reduce_mean(x, along, keepdim=True)
    variance = reduce.reduce_mean(unary.square(centred), along, keepdim=True)
    return centred / unary.sqrt(variance + epsilon)


def _column(vector: Value, rank: int) -> Value:
    """[C] as [C, 1, ...] beside a tensor of `rank`."""
    return shape.unsqueeze(vector, list(range(1, rank - 1))) if rank > 2 else vector
