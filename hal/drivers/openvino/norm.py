"""Normalisation, in float32."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import norm

from ...operands import Axis
from .emitter import Emitter, Ref
from .forms import Single, Table

table = Table()


def _standardise(g: Emitter, x: Ref, first: int, epsilon: float) -> Ref:
    """Zero mean and unit variance over the axes from `first` on."""
    if first == x.rank:
        return x - x
    axes = g.ints(*range(first, x.rank))
    return g.node("MVN", x, axes, eps=epsilon, normalize_variance=True, eps_mode="inside_sqrt")


@table.lower(norm.batch_normalization)
def batch_normalization(g: Emitter, *operands: Single, epsilon: float) -> Ref:
    return g.node("BatchNormInference", *operands, epsilon=epsilon)


@table.lower(norm.instance_normalization)
def instance_normalization(
    g: Emitter, input: Single, scale: Value, bias: Value, *, epsilon: float
) -> Ref:
    factors, shifts = (g.column(v, input.rank) for v in (scale, bias))
    return _standardise(g, input, 2, epsilon) * factors + shifts


@table.lower(norm.layer_normalization)
def layer_normalization(
    g: Emitter, input: Single, scale: Single, bias: Single, *, begin_norm_axis: Axis, epsilon: float
) -> Ref:
    return _standardise(g, input, begin_norm_axis, epsilon) * scale + bias
