"""Convolutions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import conv

from ...attributes import Window
from ...lowering import Lowerings
from ...orders import channels_last
from .emitter import Emitter, Operand, Ref, result_shape
from .shape import places_of, take_places
from .sizes import numbers

table = Lowerings[Ref]()
Pairs = tuple[tuple[int, int], ...]
LAST = channels_last(4)


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
    channels, shape = x.shape[3], tuple(result_shape(g)[a] for a in LAST)
    shift = g.real(bias)
    steps = [*pads, *how.strides[::-1]]
    if group == channels and group > 1:  # the filter becomes [1, height, width, out]
        operands = [g.whole(v) for v in (x, g.ordered(taps, (1, 2, 3, 0)), shift)]
        steps.append(shape[3] // channels)
        return g.one(OperationType.DEPTHWISE_CONV_2D, [*operands, *steps], shape, LAST)
    made = []
    each = (*shape[:3], shape[3] // group)
    parts = (cut(g, x, 1, group), cut(g, taps, 0, group), cut(g, shift, 0, group))
    for image, kernel, offset in zip(*parts, strict=True):
        turned = g.ordered(image, LAST), g.ordered(kernel, (0, 2, 3, 1)), offset
        operands = [g.whole(v) for v in turned]
        made.append(g.one(OperationType.CONV_2D, [*operands, *steps], each, LAST))
    if group == 1:
        return made[0]
    joined = [g.whole(part) for part in made]
    return g.one(OperationType.CONCATENATION, [*joined, 3], shape, LAST)


def stored_last(g: Emitter, operand: Operand, pairs: Pairs) -> tuple[Ref, list[int]]:
    """An image with channels last, cut where its border is below 0, and the border that is left:
    left, right, top, bottom."""
    ref = g.take(operand)
    if any(n < 0 for pair in pairs for n in pair):
        inner = (
            slice(max(-a, 0), n - max(-b, 0))
            for (a, b), n in zip(pairs, ref.sizes[2:], strict=True)
        )
        ref = take_places(g, ref, places_of(ref)[:, :, *inner])
    rows, columns = ((max(a, 0), max(b, 0)) for a, b in pairs)
    return g.ordered(ref, LAST), [*columns, *rows]


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


def cut(g: Emitter, ref: Ref, axis: int, count: int) -> list[Ref]:
    """Equal parts along an axis of the value."""
    if count == 1:
        return [ref]
    places = np.arange(np.prod(ref.shape)).reshape(ref.shape)
    parts = np.split(places, count, ref.place(axis))
    return [g.hold(g.pick(ref, p), p.shape, ref.order, ref.precision) for p in parts]
