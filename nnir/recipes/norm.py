"""Normalisation: moments, running statistics, scale and shift, windows of channels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .. import build
from ..dim import Expr, differ
from ..errors import BadType, NotConstant
from ..model import Value
from ..ops import norm, reduce, shape, unary
from ..types import Precision
from .generate import constant_like
from .layout import with_channels_first
from .shape import repeat_all


def full_of_size(like: Value, dims: Sequence[object], number: float) -> Value:
    """A constant in the precision of `like`; its sizes must be known."""
    if any(isinstance(d, Expr) for d in dims):
        raise NotConstant(f"a normalisation over the sizes {tuple(map(str, dims))} without weights")
    return like.model.constant(np.full(dims, number, like.dtype))


def affine(
    like: Value, dims: Sequence[object], weight: Value | None, bias: Value | None
) -> tuple[Value, Value]:
    """Scale and shift; 1 and 0 where they are absent."""
    scale = full_of_size(like, dims, 1) if weight is None else weight
    return scale, full_of_size(like, dims, 0) if bias is None else bias


def moments(x: Value, axes: Sequence[int]) -> tuple[Value, Value]:
    """Mean and population variance, whose axes stay; 16-bit floats in float32."""
    wide = norm.computing(x)
    mean = reduce.reduce_mean(wide, list(axes), keepdim=True)
    power = unary.square(wide - mean)
    return mean, reduce.reduce_mean(power, list(axes), keepdim=True)


def axes_beside_channels(x: Value) -> list[int]:
    """Every axis but that of the channels."""
    return [axis for axis in range(x.rank) if axis != 1]


def channel_moments(x: Value) -> tuple[Value, Value]:
    """Mean and population variance [C] of each channel."""
    axes = axes_beside_channels(x)
    mean, variance = (shape.squeeze(v, axes) for v in moments(x, axes))
    return mean, variance


def inverse_size(x: Value, axes: Sequence[int], epsilon: float, *, keepdim: bool = True) -> Value:
    """1 / sqrt(mean of squares + epsilon) along axes, of 16-bit floats in float32."""
    squares = unary.square(norm.computing(x))
    return unary.rsqrt(reduce.reduce_mean(squares, list(axes), keepdim=keepdim) + epsilon)


def normalize_channels(x: Value, *operands: Value, epsilon: float) -> Value:
    """BATCH_NORMALIZATION; the elements of a vector are of one channel."""
    if x.rank > 1:
        return norm.batch_normalization(x, *operands, epsilon=epsilon)
    lifted = shape.unsqueeze(x, [1])
    return shape.squeeze(norm.batch_normalization(lifted, *operands, epsilon=epsilon), [1])


def train_channels(
    x: Value, scale: Value, shift: Value, running: Sequence[Value], momentum: float, epsilon: float
) -> tuple[Value, ...]:
    """Normalised by the moments of the batch; the running mean and variance with their share
    `momentum` of those, and those themselves."""
    batch = channel_moments(x)
    result = normalize_channels(x, scale, shift, *batch, epsilon=epsilon)
    pairs = zip(running, batch, strict=True)
    return result, *(update_running(x, o, n, momentum, False) for o, n in pairs), *batch


def update_running(
    x: Value, running: Value, batch: Value, momentum: float, unbiased: bool
) -> Value:
    """The running mean or variance with its share of that of a batch."""
    wide = batch.cast(running.precision)
    if unbiased:
        count = build.product([build.size_of(x, axis) for axis in axes_beside_channels(x)])
        if not isinstance(count, int):
            raise NotConstant(f"batch_norm with training of {x.type}")
        wide = wide * (count / (count - 1) if count != 1 else math.inf)
    return running * (1 - momentum) + wide * momentum


def normalize_trailing(
    x: Value,
    scale: Value,
    shift: Value | None,
    begin: int,
    epsilon: float,
    *,
    statistics: bool,
    is_double: bool,
) -> tuple[Value, ...]:
    """LAYER_NORMALIZATION of the axes from `begin` on, also by weights that only broadcast; with
    `statistics` also the mean and 1 / deviation.

    These are in float64 where `is_double`, else in the precision of `x`, at least float32.
    """
    trailing = x.shape[begin:]
    fits = scale.shape == trailing and (shift is None or shift.shape == trailing)
    if fits:
        bias = constant_like(scale, 0) if shift is None else shift
        result = norm.layer_normalization(x, scale, bias, begin_norm_axis=begin, epsilon=epsilon)
        if not statistics:
            return (result,)
    wide = x.cast(Precision.FLOAT64) if is_double else norm.computing(x)
    mean, variance = moments(wide, range(begin, x.rank))
    spread = unary.sqrt(variance + epsilon)
    if not fits:
        result = norm.same_precision((wide - mean) / spread, x) * scale
        result = result if shift is None else result + shift
    return (result, mean, unary.reciprocal(spread)) if statistics else (result,)


def spread_groups(x: Value, groups: int, *weights: Value) -> list[Value]:
    """Weights of groups [groups] as those of the channels of `x`."""
    if any(differ(n, groups) for v in weights for n in v.shape):
        raise BadType(f"{groups} groups with weights {', '.join(str(v.type) for v in weights)}")
    each = build.vector(x.model, [build.over(build.size_of(x, 1), groups)])
    return [repeat_all(v, each, 0) for v in weights]


def normalize_across_channels(
    input: Value,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Value:
    """The standard divides alpha by the number of channels in the window."""
    if input.rank != 4:
        raise BadType(f"LRN of {input.type}: an image is needed")
    size = 2 * depth_radius + 1
    return with_channels_first(
        input,
        "NHWC",
        lambda y: norm.lrn(y, size=size, bias=bias, alpha=alpha * size, beta=beta),
    )
