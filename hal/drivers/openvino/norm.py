"""Normalisation, in float32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    return g.reshape(vector, [-1, *(1,) * (rank - 2)]).cast(FLOAT32)


def _standardise(
    g: Emitter, x: Ref, axes: Sequence[int], epsilon: float, scale: Ref, bias: Ref
) -> Ref:
    how: dict[str, Any] = {
        "eps": float(epsilon),
        "normalize_variance": True,
        "eps_mode": "inside_sqrt",
    }
    even = g.node("MVN", x, g.ints(*axes), **how) if axes else x - x
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
    columns = (_column(g, v, input.rank) for v in (scale, bias))
    return _standardise(g, x, range(2, input.rank), epsilon, *columns)


@table.lower(norm.layer_normalization)
def layer_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, begin_norm_axis: int, epsilon: float
) -> Ref:
    first = axis_of(begin_norm_axis, input.rank)
    x = g.cast(input, FLOAT32)
    factors = (g.cast(v, FLOAT32) for v in (scale, bias))
    return _standardise(g, x, range(first, input.rank), epsilon, *factors)
