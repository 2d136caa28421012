"""Normalisation by statistics over axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..broadcast import axis_of, broadcast
from ..dim import Expr, differ
from ..model import Value
from ..numeric import is_half, wide
from ..operator import of_windows, operator, pairs, require
from ..types import Precision, TensorType
from . import unary


def _per_channel(values: np.ndarray, rank: int) -> np.ndarray:
    return values.reshape(-1, *(1,) * (rank - 2))


def _standardise(
    input: np.ndarray, axes: Sequence[int] | tuple[int, ...], epsilon: float
) -> np.ndarray:
    """Zero mean and unit (population) variance over `axes`."""
    axes = tuple(axes)
    if not input.size:
        return input
    centred = input - input.mean(axis=axes, keepdims=True, dtype=input.dtype)
    variance = np.square(centred).mean(axis=axes, keepdims=True, dtype=input.dtype)
    return centred / np.sqrt(variance + input.dtype.type(epsilon))


def _check_channels(name: str, input: Value, *per_channel: Value) -> None:
    require(input.is_float, f"{name} needs a float input, not {input.type}")
    require(input.rank >= 2, f"{name} needs rank 2 or more, not {input.type}")
    for value in per_channel:
        require(value.is_float, f"{name} needs floats per channel, not {value.type}")
        require(value.rank == 1, f"{name} needs one number per channel, not {value.type}")
        broadcast_exactly(name, value, (input.shape[1],))


def broadcast_exactly(name: str, value: Value, shape: tuple[int | Expr, ...]) -> None:
    """BadType where a known size differs."""
    for have, need in zip(value.shape, shape, strict=True):
        require(not differ(have, need), f"{name} with {value.type}, where {need} is needed")


@wide
def _batch_normalization(
    input: np.ndarray,
    scale: np.ndarray,
    bias: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    *,
    epsilon: float,
) -> np.ndarray:
    spread = np.sqrt(variance + variance.dtype.type(epsilon))
    factor = _per_channel(scale / spread, input.ndim)
    result = (input - _per_channel(mean, input.ndim)) * factor + _per_channel(bias, input.ndim)
    return result.astype(input.dtype)


@operator(steps=pairs, code=9, reference=_batch_normalization)
def batch_normalization(
    input: Value,
    scale: Value,
    bias: Value,
    mean: Value,
    variance: Value,
    *,
    epsilon: float = 1e-5,
) -> TensorType:
    """(input - mean) / sqrt(variance + epsilon) * scale + bias, each per channel.

    Types: any floats; the result has the type of `input`.
    Shapes: [N, C, ...] and four times [C].
    Edges: a variance below -epsilon gives NaN.
    """
    _check_channels("batch_normalization", input, scale, bias, mean, variance)
    return input.type


@wide
def _instance_normalization(
    input: np.ndarray, scale: np.ndarray, bias: np.ndarray, *, epsilon: float
) -> np.ndarray:
    result = _standardise(input, range(2, input.ndim), epsilon)
    rank = input.ndim
    result = result * _per_channel(scale, rank) + _per_channel(bias, rank)
    return result.astype(input.dtype)


@operator(steps=pairs, code=38, reference=_instance_normalization)
def instance_normalization(
    input: Value, scale: Value, bias: Value, *, epsilon: float = 1e-5
) -> TensorType:
    """Standardise every channel of every sample, then scale and shift it.

    Types: any floats; the result has the type of `input`.
    Shapes: [N, C, ...] and twice [C].
    Edges: a constant channel gives `bias`.
    """
    _check_channels("instance_normalization", input, scale, bias)
    return input.type


@wide
def _group_normalization(
    input: np.ndarray, scale: np.ndarray, bias: np.ndarray, *, epsilon: float, groups: int
) -> np.ndarray:
    split = input.reshape(input.shape[0], groups, input.shape[1] // groups, *input.shape[2:])
    result = _standardise(split, range(2, split.ndim), epsilon).reshape(input.shape)
    rank = input.ndim
    result = result * _per_channel(scale, rank) + _per_channel(bias, rank)
    return result.astype(input.dtype)


@operator(steps=pairs, code=35, reference=_group_normalization)
def group_normalization(
    input: Value, scale: Value, bias: Value, *, epsilon: float = 1e-5, groups: int
) -> TensorType:
    """Standardise every group of channels of every sample, then scale and shift the channels.

    Types: any floats; the result has the type of `input`.
    Shapes: [N, C, ...] with C a multiple of `groups`, and twice [C].
    Edges: a constant group gives `bias`.
    """
    _check_channels("group_normalization", input, scale, bias)
    channels = input.shape[1]
    fits = isinstance(channels, Expr) or (groups > 0 and channels % groups == 0)
    require(fits, f"group_normalization of {channels} channels in {groups} groups")
    return input.type


@wide
def _layer_normalization(
    input: np.ndarray,
    scale: np.ndarray,
    bias: np.ndarray,
    *,
    begin_norm_axis: int,
    epsilon: float,
) -> np.ndarray:
    axes = range(begin_norm_axis % max(input.ndim, 1), input.ndim)
    return (_standardise(input, axes, epsilon) * scale + bias).astype(input.dtype)


def _check_trailing(name: str, input: Value, begin: int, *trailing: Value) -> None:
    require(input.is_float, f"{name} needs a float input, not {input.type}")
    axis = axis_of(begin, input.rank)
    for value in trailing:
        require(value.is_float, f"{name} needs floats, not {value.type}")
        fits = value.rank == input.rank - axis
        require(fits, f"{name} over the axes from {axis} of {input.type} with {value.type}")
        broadcast_exactly(name, value, input.shape[axis:])


@operator(steps=pairs, code=39, reference=_layer_normalization)
def layer_normalization(
    input: Value,
    scale: Value,
    bias: Value,
    *,
    begin_norm_axis: int = 1,
    epsilon: float = 1e-5,
) -> TensorType:
    """Standardise over the axes from `begin_norm_axis` on, then scale and shift.

    Types: any floats; the result has the type of `input`.
    Shapes: `scale` and `bias` have the shape of those axes.
    Edges: a negative axis counts from the end; constant data gives `bias`.
    """
    _check_trailing("layer_normalization", input, begin_norm_axis, scale, bias)
    return input.type


@wide
def _lp_normalization(input: np.ndarray, *, axis: int, p: int, epsilon: float) -> np.ndarray:
    if p == 1:
        norm = np.abs(input).sum(axis=axis, keepdims=True)
    else:
        norm = np.sqrt(np.square(input).sum(axis=axis, keepdims=True))
    return (input / (norm + input.dtype.type(epsilon))).astype(input.dtype)


@operator(steps=pairs, code=45, reference=_lp_normalization)
def lp_normalization(
    input: Value, *, axis: int = 1, p: int = 2, epsilon: float = 1e-5
) -> TensorType:
    """Divide by the 1-norm or 2-norm along an axis.

    Types: any float; the result has the type and shape of `input`.
    Edges: `epsilon` is added to the norm; where it is 0 a norm of 0 gives NaN.
    """
    require(input.is_float, f"lp_normalization needs a float input, not {input.type}")
    require(p in (1, 2), f"lp_normalization with p={p}: 1 or 2 is needed")
    axis_of(axis, input.rank)
    return input.type


@wide
def _lrn(input: np.ndarray, *, size: int, bias: float, alpha: float, beta: float) -> np.ndarray:
    if not input.size:
        return input
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    lead = ((0, 0), (before, after)) + ((0, 0),) * (input.ndim - 2)
    squares = np.pad(np.square(input), lead)
    view = np.lib.stride_tricks.sliding_window_view(squares, size, 1)
    kind = input.dtype.type
    base = kind(bias) + kind(alpha / size) * view.sum(axis=-1, dtype=input.dtype)
    return input / np.power(base, kind(beta))


@operator(steps=of_windows, code=46, reference=_lrn)
def lrn(
    input: Value,
    *,
    size: int = 1,
    bias: float = 1.0,
    alpha: float = 0.0001,
    beta: float = 0.75,
) -> TensorType:
    """Divide by (bias + alpha / size * sum of squares over `size` channels) ** beta.

    Types: any float; the result has the type and shape of `input`.
    Shapes: [N, C, ...]; the window is c - floor((size - 1) / 2) .. c + ceil((size - 1) / 2).
    Edges: channels outside are 0.
    """
    require(input.is_float, f"lrn needs a float input, not {input.type}")
    require(input.rank >= 2 and size > 0, f"lrn with size={size} of {input.type}")
    return input.type


@wide
def _rms_normalization(
    input: np.ndarray, scale: np.ndarray, *, begin_norm_axis: int, epsilon: float
) -> np.ndarray:
    axes = tuple(range(begin_norm_axis % max(input.ndim, 1), input.ndim))
    power = np.square(input).mean(axis=axes, keepdims=True, dtype=input.dtype)
    return (input / np.sqrt(power + input.dtype.type(epsilon)) * scale).astype(input.dtype)


@operator(steps=pairs, code=1500, reference=_rms_normalization)
def rms_normalization(
    input: Value, scale: Value, *, begin_norm_axis: int = -1, epsilon: float = 1e-5
) -> TensorType:
    """Divide by the root of the mean square over the axes from `begin_norm_axis`, then scale.

    Types: any floats; the result has the type of `input`.
    Shapes: `scale` broadcasts to `input`.
    Edges: zeros stay zeros.
    """
    require(input.is_float and scale.is_float, f"rms_normalization needs floats, not {input.type}")
    axis_of(begin_norm_axis, input.rank)
    spread = broadcast(input.shape, scale.shape)
    fits = len(spread) == input.rank and not any(map(differ, spread, input.shape))
    require(fits, f"rms_normalization of {input.type} with {scale.type}")
    return input.type


def computing(value: Value) -> Value:
    """16-bit floats as float32."""
    return unary.cast(value, dtype=Precision.FLOAT32) if is_half(value.dtype) else value


def same_precision(value: Value, other: Value) -> Value:
    """`value` in the precision of `other`."""
    same = value.precision == other.precision
    return value if same else unary.cast(value, dtype=other.precision)
