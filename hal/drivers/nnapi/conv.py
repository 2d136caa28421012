"""Convolutions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import FusedActivation, OperationType
from nnir.model import Value
from nnir.ops import conv
from nnir.types import Precision

from ...attributes import Window
from ...lowering import Lowerings
from ...orders import channels_last
from .emitter import Argument, Emitter, Operand, Ref, result_shape
from .graph import Tensor
from .shape import take_places
from .sizes import numbers

table = Lowerings[Ref]()
Pairs = tuple[tuple[int, int], ...]


@table.lower(conv.conv_2d, how=Window)
def conv_2d(
    g: Emitter, input: Value, filter: Value, bias: Value, *, group: int, how: Window
) -> Ref:
    how = how.over(numbers(filter.shape[2:]))
    pairs = how.resolve_padding(numbers(input.shape[2:]))
    x, pads = stored_last(g, input, tuple(pairs))
    return convolve(g, x, _dilate(g, g.real(filter), how), bias, how, pads, group)


def convolve(
    g: Emitter, x: Ref, taps: Ref, bias: Value, how: Window, pads: list[int], group: int
) -> Ref:
    """A convolution of an image with channels last, by groups of its channels."""
    channels, shape = x.shape[3], _last(result_shape(g))
    if group == channels and group > 1:
        return _depthwise(g, x, taps, bias, how, pads, shape)
    if group == 1:
        return _convolve(g, x, taps, g.whole(g.real(bias)), how, pads, shape)
    parts = _groups(g, x, taps, bias, group)
    each = (*shape[:3], shape[3] // group)
    made = [g.whole(_convolve(g, *part, how, pads, each)) for part in parts]
    whole = g.step(OperationType.CONCATENATION, [*made, 3], shape)
    return Ref(whole, shape, channels_last(4), Precision.FLOAT32)


def _last(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(shape[a] for a in channels_last(len(shape)))


def stored_last(g: Emitter, operand: Operand, pairs: Pairs) -> tuple[Ref, list[int]]:
    """An image with channels last, cut where its border is below 0, and the border that is left:
    left, right, top, bottom."""
    ref = g.take(operand)
    if any(n < 0 for pair in pairs for n in pair):
        places = np.arange(np.prod(ref.shape)).reshape(ref.shape).transpose(np.argsort(ref.order))
        (top, bottom), (left, right) = (
            (max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pairs, ref.sizes[2:], strict=True)
        )
        ref = take_places(g, ref, places[:, :, top:bottom, left:right])
    (top, bottom), (left, right) = ((max(a, 0), max(b, 0)) for a, b in pairs)
    return g.ordered(ref, channels_last(4)), [left, right, top, bottom]


def _dilate(g: Emitter, filter: Ref, how: Window) -> Ref:
    """A filter with zeros between its taps: NNAPI 1.0 has no dilations."""
    if not how.is_dilated:
        return filter
    taps = filter.constant
    if taps is None:
        raise NoLowering("nnapi dilates constant filters alone")
    found, twin = g.constant(_spread(taps, how, 0)), g.twins.get(filter.tensor)
    if twin is not None and twin.data is not None:
        codes = twin.data.reshape(taps.shape)
        spread = _spread(codes, how, twin.zero).reshape(found.tensor.dims)
        g.twins[found.tensor] = replace(twin, dims=found.tensor.dims, data=spread)
    return found


def _spread(taps: np.ndarray, how: Window, zero: int) -> np.ndarray:
    """A filter with what stands for 0 between its taps."""
    down, across = how.dilations
    wide = np.full((*taps.shape[:2], *how.extents), zero, taps.dtype)
    wide[:, :, ::down, ::across] = taps
    return wide


def _convolve(
    g: Emitter,
    x: Ref,
    taps: Ref,
    bias: Tensor,
    how: Window,
    pads: list[int],
    shape: tuple[int, ...],
) -> Ref:
    """CONV_2D of an image with channels last; the filter becomes [out, height, width, in]."""
    weights = g.whole(g.ordered(taps, (0, 2, 3, 1)))
    down, across = how.strides
    inputs: list[Argument] = [
        g.whole(x),
        weights,
        bias,
        *pads,
        across,
        down,
        int(FusedActivation.NONE),
    ]
    made = g.step(OperationType.CONV_2D, inputs, shape)
    return Ref(made, shape, channels_last(4), Precision.FLOAT32)


def _depthwise(
    g: Emitter, x: Ref, taps: Ref, bias: Value, how: Window, pads: list[int], shape: tuple[int, ...]
) -> Ref:
    """DEPTHWISE_CONV_2D; the filter becomes [1, height, width, out]."""
    weights = g.whole(g.ordered(taps, (1, 2, 3, 0)))
    down, across = how.strides
    times = shape[3] // x.shape[3]
    more = [*pads, across, down, times, int(FusedActivation.NONE)]
    inputs: list[Argument] = [g.whole(x), weights, g.whole(g.real(bias)), *more]
    made = g.step(OperationType.DEPTHWISE_CONV_2D, inputs, shape)
    return Ref(made, shape, channels_last(4), Precision.FLOAT32)


def _groups(
    g: Emitter, x: Ref, taps: Ref, bias: Value, group: int
) -> list[tuple[Ref, Ref, Tensor]]:
    """The channels of each group with its filters and biases."""
    shift = g.real(bias)
    parts = []
    for image, kernel, offset in zip(
        cut(g, x, 1, group), cut(g, taps, 0, group), cut(g, shift, 0, group), strict=True
    ):
        parts.append((g.ordered(image, channels_last(4)), kernel, g.whole(offset)))
    return parts


def cut(g: Emitter, ref: Ref, axis: int, count: int) -> list[Ref]:
    """Equal parts along an axis of the value."""
    places = np.arange(np.prod(ref.shape)).reshape(ref.shape)
    parts = np.split(places, count, ref.place(axis))
    return [Ref(g.pick(ref, p), p.shape, ref.order, ref.precision) for p in parts]
