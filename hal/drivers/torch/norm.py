"""Normalisation."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.model import Value
from nnir.ops import norm
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Result

table = Lowerings[Result]()


def _wide(g: Emitter, *values: Value) -> list[Any]:
    """All operands in float32, or in float64 when the first is."""
    kind = Precision.FLOAT64 if values[0].precision == Precision.FLOAT64 else Precision.FLOAT32
    return [g.to(g.raw(v), v.precision, kind) for v in values]


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
) -> Result:
    x, s, b, m, v = _wide(g, input, scale, bias, mean, variance)
    result = functional.batch_norm(x, m, v, s, b, False, 0.0, epsilon)
    return g.back(result, input.precision)


@table.lower(norm.instance_normalization)
def instance_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float
) -> Result:
    return _group_norm(g, input, scale, bias, epsilon, g.shape(input)[1])


@table.lower(norm.group_normalization)
def group_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float, groups: int
) -> Result:
    return _group_norm(g, input, scale, bias, epsilon, groups)


def _group_norm(
    g: Emitter, input: Value, scale: Value, bias: Value, epsilon: float, groups: Any
) -> Result:
    if 0 in input.shape:
        return g.raw(input)
    x, s, b = _wide(g, input, scale, bias)
    return g.back(torch.group_norm(x, groups, s, b, epsilon), input.precision)


@table.lower(norm.layer_normalization)
def layer_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, begin_norm_axis: int, epsilon: float
) -> Result:
    x, s, b = _wide(g, input, scale, bias)
    sizes = g.shape(input)[axis_of(begin_norm_axis, input.rank) :]
    static = not any(isinstance(d, Expr) for d in (*scale.shape, *bias.shape))
    same = static and all(isinstance(n, int) for n in sizes)
    if same:
        result = functional.layer_norm(x, sizes, s, b, epsilon)
    else:
        result = functional.layer_norm(x, sizes, None, None, epsilon) * s + b
    return g.back(result, input.precision)
