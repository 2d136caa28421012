"""Paddle's normalisations."""

from __future__ import annotations

from nnir.broadcast import axis_of
from nnir.errors import NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import compare, linear, norm, reduce, shape, unary
from nnir.recipes.layout import to_channels_first, to_channels_last, with_channels_first
from nnir.recipes.norm import (
    affine,
    axes_beside_channels,
    full_of_size,
    inverse_size,
    moments,
    train_channels,
)

from ...table import Pair, Table

table = Table()


@table.convert("batch_norm", "batch_norm_", "sync_batch_norm_")
def batch_norm(
    x: Value,
    mean: Value,
    variance: Value,
    scale: Value | None,
    bias: Value | None,
    is_test: bool,
    momentum: float,
    epsilon: float,
    data_format: str,
    use_global_stats: bool,
    trainable_statistics: bool,
) -> tuple[Value, ...]:
    """While testing, or with global statistics, these stay as they are."""
    if data_format not in ("NCHW", "NHWC"):
        raise Unsupported(f"batch_norm with {data_format=}")
    if x.rank > 2 and data_format == "NHWC":
        given = (mean, variance, scale, bias, is_test, momentum, epsilon, "NCHW")
        rest = (use_global_stats, trainable_statistics)
        result, *others = batch_norm(to_channels_first(x), *given, *rest)
        return to_channels_last(result), *others
    weights = affine(mean, x.shape[1:2], scale, bias)
    if use_global_stats or (is_test and not trainable_statistics):
        result = norm.batch_normalization(x, *weights, mean, variance, epsilon=epsilon)
        return result, mean, variance
    if all(x.shape[k] == 1 for k in axes_beside_channels(x)):
        raise Unsupported(f"batch_norm that trains of {x.type}, one element of each channel")
    return train_channels(x, *weights, (mean, variance), 1 - momentum, epsilon)[:3]


def trailing(x: Value, begin: int, *weights: Value | None) -> tuple[Value | None, ...]:
    """Weights, which are vectors, in the shape of the axes from `begin` on."""
    dims = x.shape[begin:]
    if any(not isinstance(d, int) for d in dims) and x.rank - begin > 1:
        raise NotConstant(f"a normalisation of {x.type} from axis {begin} on")
    return tuple(
        w if w is None or w.rank == len(dims) else shape.reshape(w, list(dims)) for w in weights
    )


def normalize_layer(
    x: Value, scale: Value | None, bias: Value | None, epsilon: float, begin: int
) -> Value:
    """LAYER_NORMALIZATION; 1 and 0 where weights are absent."""
    begin = axis_of(begin, x.rank)
    given = trailing(x, begin, scale, bias)
    weights = affine(x, x.shape[begin:], *given)
    return norm.layer_normalization(x, *weights, begin_norm_axis=begin, epsilon=epsilon)


@table.convert("layer_norm")
def layer_norm(
    x: Value,
    scale: Value | None,
    bias: Value | None,
    epsilon: float,
    begin_norm_axis: int,
) -> tuple[Value, Value, Value]:
    """Mean and variance are of the rows in front of the axis."""
    begin = axis_of(begin_norm_axis, x.rank)
    result = normalize_layer(x, scale, bias, epsilon, begin)
    axes = list(range(begin, x.rank))
    mean, variance = (shape.squeeze(v, axes) for v in moments(x, axes))
    return result, mean, variance


@table.convert("instance_norm")
def instance_norm(x: Value, scale: Value | None, bias: Value | None, epsilon: float) -> Value:
    weights = affine(x, x.shape[1:2], scale, bias)
    return norm.instance_normalization(x, *weights, epsilon=epsilon)


@table.convert("group_norm")
def group_norm(
    x: Value,
    scale: Value | None,
    bias: Value | None,
    epsilon: float,
    groups: int,
    data_format: str,
) -> Value:
    def normalize(image: Value) -> Value:
        weights = affine(image, image.shape[1:2], scale, bias)
        return norm.group_normalization(image, *weights, epsilon=epsilon, groups=groups)

    return with_channels_first(x, data_format, normalize)


@table.convert("rms_norm")
def rms_norm(
    x: Value, scale: Value | None, normalized_shape: tuple[int, ...], epsilon: float
) -> Pair:
    """The second result is the factor of every row."""
    begin = x.rank - len(normalized_shape)
    axes = list(range(begin, x.rank))
    weight = full_of_size(x, x.shape[begin:], 1) if scale is None else scale
    result = norm.rms_normalization(x, weight, begin_norm_axis=begin, epsilon=epsilon)
    return result, inverse_size(x, axes, epsilon, keepdim=False)


@table.convert("norm")
def norm_(x: Value, axis: int, epsilon: float, is_test: bool) -> Pair:
    """`x` over its 2-norm along an axis, and that norm."""
    total = reduce.reduce_sum(unary.square(x), [axis_of(axis, x.rank)], keepdim=True)
    length = unary.sqrt(total + epsilon)
    return x / length, length


@table.convert("l1_norm", "l1_norm_")
def l1_norm(x: Value) -> Value:
    return reduce.reduce_sum(abs(x), list(range(x.rank)), keepdim=False)


@table.convert("renorm", "renorm_")
def renorm(x: Value, p: float, axis: int, max_norm: float) -> Value:
    """Slices whose p-norm is above `max_norm` shrink to it."""
    place = axis_of(axis, x.rank)
    axes = [k for k in range(x.rank) if k != place]
    powers = abs(x) ** p
    total = reduce.reduce_sum(powers, axes, keepdim=True) if axes else powers
    length = total ** (1 / p)
    most, one = (x.model.constant(v, x.dtype) for v in (max_norm, 1))
    shrunk = most / (length + 1e-7)
    return x * compare.where(length > most, shrunk, one)


@table.convert("affine_channel", "affine_channel_")
def affine_channel(x: Value, scale: Value, bias: Value, data_layout: str) -> Value:
    if data_layout in ("NHWC", "AnyLayout"):
        return x * scale + bias
    if data_layout != "NCHW":
        raise Unsupported(f"affine_channel with {data_layout=}")
    after = list(range(1, x.rank - 1))
    factor, shift = (shape.unsqueeze(v, after) if after else v for v in (scale, bias))
    return x * factor + shift


@table.convert("spectral_norm")
def spectral_norm(
    weight: Value, u: Value, v: Value, dim: int, power_iters: int, eps: float
) -> Value:
    """`weight` over its largest singular value, as so many steps of the power method find it."""
    axis = axis_of(dim, weight.rank)
    perm = (axis, *(k for k in range(weight.rank) if k != axis))
    front = shape.transpose(weight, perm=perm) if axis else weight
    matrix = shape.flatten(front, start_axis=1, end_axis=-1) if front.rank > 2 else front
    left, right = (shape.reshape(s, [-1, 1]) for s in (u, v))
    for _ in range(power_iters):
        right = unit(linear.mat_mul(matrix, left, transpose_x=True), eps)
        left = unit(linear.mat_mul(matrix, right), eps)
    product = linear.mat_mul(left, linear.mat_mul(matrix, right), transpose_x=True)
    return weight / shape.reshape(product, [])


def unit(column: Value, eps: float) -> Value:
    """A column over its length."""
    total = reduce.reduce_sum(unary.square(column), [0], keepdim=True)
    length = unary.sqrt(total) + eps
    return column / length
