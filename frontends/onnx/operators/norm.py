"""ONNX normalisations."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import norm, reduce, unary
from nnir.recipes import norm as recipes
from nnir.types import Precision

from ...table import REQUIRED, Ints, Maybe, Pair, Table, Wanted

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
        return recipes.train_channels(x, scale, b, running, 1 - momentum, epsilon)[:3]
    if wanted > 1:
        raise Unsupported(f"BatchNormalization with {wanted} outputs and training_mode=0")
    return recipes.normalize_channels(x, scale, b, *running, epsilon=epsilon)


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
    *made, own, spread = recipes.train_channels(x, scale, b, (mean, var), 1 - momentum, epsilon)
    return *made, *(norm.same_precision(v, mean) for v in (own, spread))


@table.convert("LayerNormalization")
def layer_normalization(
    x: Value,
    scale: Value,
    b: Maybe = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: Stash = 1,
    wanted: Wanted,
) -> tuple[Value, ...]:
    """ONNX has it since opset 17; ONNX Runtime writes it into older models too."""
    how = {"statistics": wanted > 1, "is_double": stash_type == 11}
    return recipes.normalize_trailing(x, scale, b, axis_of(axis, x.rank), epsilon, **how)


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
    wide = recipes.spread_groups(x, num_groups, scale, bias)
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
    return result, recipes.inverse_size(wide, axes, epsilon).cast(Precision.FLOAT32)


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
