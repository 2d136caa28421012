"""ONNX normalisations."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.dim import differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import norm, reduce, unary
from nnir.recipes.generate import constant_like
from nnir.recipes.norm import inverse_size, moments, normalize_channels, train_channels
from nnir.recipes.shape import repeat_all
from nnir.types import Precision

from ...table import REQUIRED, Ints, Pair, Table, Wanted

table = Table()
Results = Value | tuple[Value, ...]
Stash = Literal[1, 11]
"""The precision of statistics: float32 or float64."""

table.same({"InstanceNormalization": norm.instance_normalization})
table.same({"LRN": norm.lrn}, size=REQUIRED)


@table.convert("BatchNormalization", since=14)
def batch_normalization(
    x: Value,
    scale: Value,
    b: Value,
    input_mean: Value,
    input_var: Value,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: bool = False,
    wanted: Wanted,
) -> Results:
    running = input_mean, input_var
    if training_mode:
        return train_channels(x, scale, b, running, 1 - momentum, epsilon)[:3]
    if wanted > 1:
        raise Unsupported(f"BatchNormalization with {wanted} outputs and training_mode=0")
    return normalize_channels(x, scale, b, *running, epsilon=epsilon)


@table.convert("BatchNormalization", since=7, is_test=None)
@table.convert("BatchNormalization")
def batch_normalization_1(
    x: Value,
    scale: Value,
    b: Value,
    mean: Value,
    var: Value,
    *,
    epsilon: float = 1e-5,
    is_test: bool | None = False,
    momentum: float = 0.9,
    spatial: bool = True,
    wanted: Wanted,
) -> Results:
    """Since opset 7 more than one result means training; else elements may have statistics each."""
    training = wanted > 1 if is_test is None else not is_test
    if training and not spatial:
        raise Unsupported("BatchNormalization that trains with spatial=0")
    if not spatial:
        return (x - mean) / unary.sqrt(var + epsilon) * scale + b
    if not training:
        return batch_normalization(x, scale, b, mean, var, epsilon=epsilon, wanted=wanted)
    *made, own, spread = train_channels(x, scale, b, (mean, var), 1 - momentum, epsilon)
    return *made, *(norm.same_precision(v, mean) for v in (own, spread))


@table.convert("LayerNormalization")
def layer_normalization(
    x: Value,
    scale: Value,
    b: Value | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: Stash = 1,
    wanted: Wanted,
) -> Results:
    """ONNX has it since opset 17; ONNX Runtime writes it into older models too."""
    begin = axis_of(axis, x.rank)
    trailing = x.shape[begin:]
    fits = scale.shape == trailing and (b is None or b.shape == trailing)
    if fits:
        bias = constant_like(scale, 0) if b is None else b
        result = norm.layer_normalization(x, scale, bias, begin_norm_axis=begin, epsilon=epsilon)
        if wanted == 1:
            return result
    wide = norm.computing(x) if stash_type == 1 else x.cast(Precision.FLOAT64)
    mean, variance = moments(wide, range(begin, x.rank))
    spread = unary.sqrt(variance + epsilon)
    if not fits:
        result = norm.same_precision((wide - mean) / spread, x) * scale
        result = result if b is None else result + b
    return result if wanted == 1 else (result, mean, unary.reciprocal(spread))


@table.convert("GroupNormalization", since=21)
def group_normalization(
    x: Value,
    scale: Value,
    bias: Value,
    *,
    epsilon: float = 1e-5,
    num_groups: int,
    stash_type: Stash = 1,
) -> Value:
    return norm.group_normalization(x, scale, bias, epsilon=epsilon, groups=num_groups)


@table.convert("GroupNormalization", since=18)
def group_normalization_18(
    x: Value, scale: Value, bias: Value, *, epsilon: float = 1e-5, num_groups: int
) -> Value:
    """Opset 18 has one scale and bias per group instead of per channel."""
    sizes = [n for v in (scale, bias) for n in v.shape]
    if any(differ(n, num_groups) for n in sizes):
        raise BadType(f"{num_groups} groups with factors {scale.type} and shifts {bias.type}")
    each = build.vector(x.model, [build.over(build.size_of(x, 1), num_groups)])
    wide = (repeat_all(v, each, 0) for v in (scale, bias))
    return group_normalization(x, *wide, epsilon=epsilon, num_groups=num_groups)


@table.convert("RMSNormalization", since=23)
def rms_normalization(
    x: Value, scale: Value, *, axis: int = -1, epsilon: float = 1e-5, stash_type: Stash = 1
) -> Value:
    result = norm.rms_normalization(x, scale, begin_norm_axis=axis, epsilon=epsilon)
    return norm.same_precision(result, scale)


@table.convert("SimplifiedLayerNormalization")
def simplified_layer_normalization(
    x: Value, scale: Value, *, axis: int = -1, epsilon: float = 1e-5, stash_type: Literal[1] = 1
) -> Pair:
    """RMSNormalization by the name that ONNX Runtime gave it; the factor is float32 always."""
    wide, axes = norm.computing(x), range(axis_of(axis, x.rank), x.rank)
    result = rms_normalization(wide, scale, axis=axis, epsilon=epsilon)
    return result, inverse_size(wide, axes, epsilon).cast(Precision.FLOAT32)


@table.convert("LpNormalization")
def lp_normalization(input: Value, *, axis: int = -1, p: int = 2) -> Value:
    if p not in (1, 2):
        raise BadType(f"LpNormalization with p={p}: 1 or 2 is needed")
    # The smallest number changes no norm but 0, which then gives 0 as ONNX wants.
    kind = np.float64 if input.dtype == np.float64 else np.float32
    smallest = float(np.finfo(kind).smallest_subnormal)
    return norm.lp_normalization(input, axis=axis, p=p, epsilon=smallest)


@table.convert("MeanVarianceNormalization", since=9)
def mean_variance_normalization(x: Value, *, axes: Ints = (0, 2, 3)) -> Value:
    """The body of ONNX's function: the variance is E[x^2] - E[x]^2."""
    mean, power = (reduce.reduce_mean(v, list(axes)) for v in (x, unary.square(x)))
    deviation = unary.sqrt(power - unary.square(mean))
    return (x - mean) / (deviation + 1e-9)
