"""Convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.model import Value
from nnir.ops import conv
from nnir.types import Precision

from ...attributes import Transposed, Window
from ...lowering import Lowerings
from . import windows
from .emitter import Emitter, Operand, Ref, Sizes, widen

table = Lowerings[Ref]()


@table.lower(conv.conv_2d, conv.conv_3d, how=Window)
def convolution(
    g: Emitter, input: Value, filter: Value, bias: Value, *, group: int, how: Window
) -> Ref:
    g.require_single("Conv", input.precision)
    auto_pad, pads = windows.padding(input, how.over(windows.spatial_sizes("a filter", filter)))
    x, w, b = (widen(g, v) for v in (input, filter, bias))
    if pads is not None and min(pads, default=0) < 0:  # which the kernel refuses
        cuts = [min(p, 0) for p in pads]
        pairs = zip(cuts[: how.rank], cuts[how.rank :], strict=True)
        x, pads = windows.add_border(g, x, [*pairs]), [max(p, 0) for p in pads]
    return windows.slide(g, "Conv", how, x, w, b, auto_pad=auto_pad, group=group, pads=pads)


@table.lower(conv.conv_2d_transpose, conv.conv_3d_transpose, how=Transposed)
def transposed_convolution(
    g: Emitter, input: Value, filter: Value, bias: Value, *, group: int, how: Transposed
) -> Ref:
    """The native operator; where the border grows it has no bias, which is in what grows too."""
    g.require_single("ConvTranspose", input.precision)
    how = how.over(windows.spatial_sizes("a filter", filter))
    sizes = windows.spatial_sizes("CONV_2D_TRANSPOSE", input) if how.is_forced else ()
    x, w, b = (widen(g, v) for v in (input, filter, bias))
    growth = how.growth(sizes)
    cuts = windows.begins_ends([max(-n, 0) for pair in growth for n in pair])
    more = [(max(before, 0), max(behind, 0)) for before, behind in growth]
    is_larger = any(map(any, more))
    operands = (x, w) if is_larger else (x, w, b)
    result = windows.slide(g, "ConvTranspose", how, *operands, group=group, pads=cuts)
    return windows.add_border(g, result, more) + _column(g, b, how.rank) if is_larger else result


def _column(g: Emitter, vector: Any, rank: int) -> Ref:
    """[C] as [C, 1, ...]."""
    return g.unsqueeze(vector, *range(1, rank + 1))


@table.lower(conv.conv_integer, how=Window)
def conv_integer(
    g: Emitter,
    input: Value,
    filter: Value,
    input_zero_point: Value | None,
    filter_zero_point: Value | None,
    *,
    group: int,
    how: Window,
) -> Ref:
    """ONNX Runtime wants uint8 data; int8 moves up by 128 and so does its zero point."""
    x, zero = _to_unsigned(g, input, input_zero_point)

    def convolve(w: Operand, by: Operand = None) -> Ref:
        return windows.slide(g, "ConvInteger", how, x, w, zero, by, group=group)

    whole = filter_zero_point
    if whole is None:
        return convolve(filter)
    if whole.rank != 1 or whole.shape[0] == 1:
        return convolve(filter, g.reshape(whole))
    total = convolve(filter)
    g.need(filter.is_static, f"has no zero points per channel of a filter {filter.type}")
    ones = np.ones(tuple(int(d) for d in filter.shape), np.uint8)  # type: ignore[arg-type]
    plain = convolve(g.constant(ones))
    shift = _column(g, g.cast(whole, Precision.INT32), how.rank)
    return total - plain * shift


def _to_unsigned(g: Emitter, value: Value, zero: Value | None) -> tuple[Any, Any]:
    """uint8 data and its rank-0 zero point that mean the same."""
    if value.precision == Precision.UINT8:
        return value, None if zero is None else g.reshape(zero)

    def move(operand: Value) -> Ref:
        return (g.cast(operand, Precision.INT32) + 128).cast(Precision.UINT8)

    return move(value), g.constant(np.uint8(128)) if zero is None else g.reshape(move(zero))


@table.lower(conv.col_2_im, how=Window)
def col_2_im(
    g: Emitter, input: Value, image_shape: Sizes, block_shape: Sizes, *, how: Window
) -> Ref:
    return windows.slide(g, "Col2Im", how, input, image_shape, block_shape)


@table.lower(conv.deformable_conv_2d, how=Window)
def deformable_conv_2d(
    g: Emitter,
    input: Value,
    offset: Value,
    mask: Value,
    filter: Value,
    bias: Value,
    *,
    group: int,
    deformable_group: int,
    how: Window,
) -> Ref:
    operands = input, filter, offset, bias, mask
    return windows.slide(
        g, "DeformConv", how, *operands, group=group, offset_group=deformable_group
    )
