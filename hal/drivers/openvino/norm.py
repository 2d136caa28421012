"""Normalisation, in float32."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.broadcast import axis_of
from nnir.model import Value
from nnir.ops import norm
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


def _column(g: Emitter, vector: Value, rank: int) -> Ref:
    """[C] as [C, 1, ...] for a tensor of `rank`."""
    if vector.constant is not None:
        return g.constant(vector.constant.reshape(-1, *(1,) * (rank - 2))).cast(FLOAT32)
    return g.reshape(g.cast(vector, FLOAT32), [-1, *(1,) * (rank - 2)])


def _standardise(g: Emitter, x: Ref, axes: Sequence[int], epsilon: float) -> Ref:
    return g.node(
        "MVN",
        x,
        g.ints(*axes),
        eps=float(epsilon),
        normalize_variance=True,
        eps_mode="inside_sqrt",
    )


def _scale(g: Emitter, even: Ref, scale: Ref, bias: Ref) -> Ref:
    return even * scale + bias


@table.lower(norm.batch_normalization)
def batch_normalization(
    g: Emitter,
    input: Value,
    scale: Value,
    bias: Value,
    mean: Value,
    variance: Value,
    *,
    epsilon: float,
) -> Ref:
    x, s, b, m, v = (g.cast(t, FLOAT32) for t in (input, scale, bias, mean, variance))
    return g.node("BatchNormInference", x, s, b, m, v, epsilon=float(epsilon))


@table.lower(norm.instance_normalization)
def instance_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float
) -> Ref:
    x = g.cast(input, FLOAT32)
    axes = range(2, input.rank)
    even = _standardise(g, x, axes, epsilon) if axes else x - x
    return _scale(g, even, _column(g, scale, input.rank), _column(g, bias, input.rank))


@table.lower(norm.layer_normalization)
def layer_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, begin_norm_axis: int, epsilon: float
) -> Ref:
    first = axis_of(begin_norm_axis, input.rank)
    x = g.cast(input, FLOAT32)
    even = _standardise(g, x, range(first, input.rank), epsilon)
    return _scale(g, even, g.cast(scale, FLOAT32), g.cast(bias, FLOAT32))
