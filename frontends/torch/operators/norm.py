"""ATen normalisations."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import contents, shapes_differ
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import norm, reduce, shape, unary
from nnir.recipes.norm import affine, axes_beside_channels, full_of_size, moments, update_running
from nnir.types import Precision

from ...table import Table

table = Table()
Three = tuple[Value, Value, Value]


def inverse_deviation(variance: Value, eps: float) -> Value:
    """1 / sqrt(variance + eps)."""
    return unary.rsqrt(variance + eps)


def normalize(
    x: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    training: bool,
    eps: float,
) -> Three:
    """The result, and the statistics of the batch; without training these are empty."""
    given = [v for v in (weight, bias, running_mean, running_var) if v is not None]
    if any(shapes_differ(v.shape, x.shape[1:2]) for v in given):
        raise BadType(f"batch_norm of {x.type} with {', '.join(str(v.type) for v in given)}")
    scale, shift = affine(x, x.shape[1:2], weight, bias)
    kind = x.precision if weight is None else weight.precision
    if not training:
        if running_mean is None or running_var is None:
            raise BadType("batch_norm without training needs running statistics")
        known = scale, shift, running_mean, running_var
        empty = x.model.constant(np.zeros(0, kind.dtype))
        return norm.batch_normalization(x, *known, epsilon=eps), empty, empty
    if eps <= 0:
        raise Unsupported(f"batch_norm that trains with {eps=}")
    axes = axes_beside_channels(x)
    mean, variance = (shape.squeeze(v, axes) for v in moments(x, axes))
    inverse = inverse_deviation(variance, eps)
    if x.shape[0] == 1 and x.rank > 2:
        result = norm.instance_normalization(x, scale, shift, epsilon=eps)
    else:
        result = norm.batch_normalization(x, scale, shift, mean, variance, epsilon=eps)
    return result, mean.cast(kind), inverse.cast(kind)


@table.convert("aten.batch_norm.default")
def batch_norm(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Value:
    """With training the running statistics change too, which the program does not return."""
    if input.rank < 2 and 0 in input.shape:
        return input
    return normalize(input, weight, bias, running_mean, running_var, training, eps)[0]


@table.convert("aten.native_batch_norm.default")
def native_batch_norm(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Three:
    return normalize(input, weight, bias, running_mean, running_var, training, eps)


@table.convert("aten._native_batch_norm_legit.no_stats")
def batch_norm_no_stats(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Three:
    return normalize(input, weight, bias, None, None, training, eps)


@table.convert("aten._native_batch_norm_legit_no_training.default")
def batch_norm_no_training(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value,
    running_var: Value,
    momentum: float,
    eps: float,
) -> Three:
    return normalize(input, weight, bias, running_mean, running_var, False, eps)


@table.convert("aten._batch_norm_no_update.default")
def batch_norm_no_update(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    momentum: float,
    eps: float,
) -> tuple[Value, ...]:
    results = normalize(input, weight, bias, running_mean, running_var, False, eps)
    return *results, input.model.constant(np.zeros(0, np.uint8))


@table.convert("aten._native_batch_norm_legit_functional.default")
def batch_norm_functional(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value,
    running_var: Value,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Value, ...]:
    results = normalize(input, weight, bias, running_mean, running_var, training, eps)
    if not training:
        return *results, running_mean, running_var
    mean, variance = (
        shape.squeeze(v, axes_beside_channels(input))
        for v in moments(input, axes_beside_channels(input))
    )
    new_mean = update_running(input, running_mean, mean, momentum, unbiased=False)
    return *results, new_mean, update_running(input, running_var, variance, momentum, unbiased=True)


@table.convert("aten._batch_norm_with_update_functional.default")
def batch_norm_with_update(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value,
    running_var: Value,
    momentum: float,
    eps: float,
) -> tuple[Value, ...]:
    given = (input, weight, bias, running_mean, running_var, True, momentum, eps)
    *results, mean, variance = batch_norm_functional(*given)
    return *results, input.model.constant(np.zeros(0, np.uint8)), mean, variance


@table.convert("aten.instance_norm.default")
def instance_norm(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Value:
    if not use_input_stats:
        return normalize(input, weight, bias, running_mean, running_var, False, eps)[0]
    scale, shift = affine(input, input.shape[1:2], weight, bias)
    return norm.instance_normalization(input, scale, shift, epsilon=eps)


def trailing(x: Value, normalized_shape: Value) -> int:
    """The first of the last axes that a normalisation is over."""
    count = normalized_shape.shape[0]
    if isinstance(count, Expr) or not 0 < count <= x.rank:
        raise BadType(f"a normalisation of {x.type} over {count} axes")
    last = x.shape[x.rank - count :]
    for size, own in zip(contents(normalized_shape) or last, last, strict=True):
        if size != own and not isinstance(size, Expr) and not isinstance(own, Expr):
            raise BadType(f"a normalisation of {x.type} over axes of other sizes, such as {size}")
    return x.rank - count


@table.convert("aten.layer_norm.default")
def layer_norm(
    input: Value,
    normalized_shape: Index,
    weight: Value | None = None,
    bias: Value | None = None,
    eps: float = 1e-05,
    cudnn_enable: bool = True,
) -> Value:
    begin = trailing(input, normalized_shape)
    scale, shift = affine(input, input.shape[begin:], weight, bias)
    return norm.layer_normalization(input, scale, shift, begin_norm_axis=begin, epsilon=eps)


@table.convert("aten.native_layer_norm.default")
def native_layer_norm(
    input: Value, normalized_shape: Index, weight: Value | None, bias: Value | None, eps: float
) -> Three:
    begin = trailing(input, normalized_shape)
    mean, variance = moments(input, range(begin, input.rank))
    kind = input.precision if weight is None else weight.precision
    inverse = inverse_deviation(variance, eps)
    result = layer_norm(input, normalized_shape, weight, bias, eps)
    return result, mean.cast(kind), inverse.cast(kind)


@table.convert("aten.group_norm.default")
def group_norm(
    input: Value,
    num_groups: int,
    weight: Value | None = None,
    bias: Value | None = None,
    eps: float = 1e-05,
    cudnn_enabled: bool = True,
) -> Value:
    scale, shift = affine(input, input.shape[1:2], weight, bias)
    return norm.group_normalization(input, scale, shift, epsilon=eps, groups=num_groups)


@table.convert("aten.native_group_norm.default")
def native_group_norm(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    N: Index,  # noqa: N803  the names are those of ATen
    C: Index,  # noqa: N803  as above
    HxW: Index,  # noqa: N803  as above
    group: int,
    eps: float,
) -> Three:
    """The sizes are those of `input`."""
    batch = build.size_of(input, 0)
    rows = build.reshape(input, [batch, group, -1])
    mean, variance = (shape.squeeze(v, [2]) for v in moments(rows, [2]))
    kind = input.precision if weight is None else weight.precision
    inverse = inverse_deviation(variance, eps)
    result = group_norm(input, group, weight, bias, eps)
    return result, mean.cast(kind), inverse.cast(kind)


def smallest(x: Value, eps: float | None) -> float:
    """PyTorch's default is the precision of the type that is computed in."""
    if eps is not None:
        return eps
    return float(np.finfo(np.float64 if x.precision == Precision.FLOAT64 else np.float32).eps)


@table.convert("aten.rms_norm.default")
def rms_norm(
    input: Value,
    normalized_shape: Index,
    weight: Value | None = None,
    eps: float | None = None,
) -> Value:
    begin = trailing(input, normalized_shape)
    scale = full_of_size(input, input.shape[begin:], 1) if weight is None else weight
    epsilon = smallest(input, eps)
    return norm.rms_normalization(input, scale, begin_norm_axis=begin, epsilon=epsilon)


@table.convert("aten._fused_rms_norm.default")
def fused_rms_norm(
    input: Value, normalized_shape: Index, weight: Value | None, eps: float | None
) -> tuple[Value, Value]:
    axes = list(range(trailing(input, normalized_shape), input.rank))
    power = reduce.reduce_mean(unary.square(norm.computing(input)), axes, keepdim=True)
    inverse = inverse_deviation(power, smallest(input, eps))
    return rms_norm(input, normalized_shape, weight, eps), inverse
