"""Numbers over the root of their mean square as one operation."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import axes_of, ints
from ..model import Operation, Value
from ..ops import binary, norm, reduce, unary
from ..types import Precision
from .matching import ANY, Number, Variable, node, rule
from .rewrite import number

PRECISIONS = (Precision.FLOAT32, Precision.FLOAT64)
"""Narrower ones lose what they are squared in, which one operation would not."""

x = Variable("x", where=lambda value: value.precision in PRECISIONS)
epsilon = Variable("epsilon", where=lambda value: number(value) is not None)
SQUARE = node(unary.square, x) | x * x | node(binary.pow_, x, Number(2, 0))
MEAN = node(reduce.reduce_mean, SQUARE, Variable("axes"), attributes={"keepdim": True})
POWER = MEAN + epsilon
ROOT = node(unary.sqrt, POWER)
INVERSE = (
    node(unary.rsqrt, POWER) | node(unary.reciprocal, ROOT) | node(binary.div, Number(1), ROOT)
)


def first_of_last(x: Value, axes: Value) -> int | None:
    """The first of the axes, where they are the last ones of `x` and of known sizes."""
    known = axes_of(ints(axes) or (), x.rank)
    first = min(known, default=x.rank)
    is_last = sorted(known) == [*range(first, x.rank)] and first < x.rank
    return first if is_last and all(isinstance(d, int) for d in x.shape[first:]) else None


@rule(x * INVERSE | x / ROOT, where=lambda x, axes: first_of_last(x, axes) is not None)
def fuse_rms(x: Value, axes: Value, epsilon: Value) -> Value:
    """Write x / sqrt(mean(x * x) + epsilon) as RMS_NORMALIZATION."""
    first = first_of_last(x, axes) or 0
    sizes = build.known_sizes(x, range(first, x.rank))
    ones = x.model.constant(np.ones(sizes, x.dtype))
    least = number(epsilon) or 0.0
    return norm.rms_normalization(x, ones, begin_norm_axis=first - x.rank, epsilon=least)


NORMED = node(
    norm.rms_normalization,
    *(Variable("x"), Variable("scale", where=lambda v: v.constant is not None)),
    name="normalization",
    alone=True,
    attributes=ANY,
)


def _is_gain(scale: Value, gain: Value) -> bool:
    is_plain = scale.constant is not None and bool((scale.constant == 1).all())
    return is_plain and gain.type == scale.type


@rule(NORMED * Variable("gain"), where=_is_gain)
def scale_rms(x: Value, gain: Value, normalization: Operation) -> Value:
    """Let RMS_NORMALIZATION scale what it gives."""
    return norm.rms_normalization(x, gain, **normalization.attributes)
