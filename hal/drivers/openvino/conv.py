"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv
from nnir.ops import windows as shared
from nnir.types import AutoPad, Fuse, Precision

from ...lowering import Lowerings
from . import windows
from .binary import fused
from .emitter import Emitter, Operand, Ref

table = Lowerings()
FLOAT32 = Precision.FLOAT32


def _require_float(name: str, input: Value) -> None:
    if not input.is_float:
        raise NoLowering(f"openvino has no {name} of {input.precision.name}")


def _grouped(g: Emitter, filter: Value, group: int, *, transposed: bool) -> Ref:
    """Filters of each group behind a new first axis; a view of a constant."""
    first, *rest = filter.shape
    if filter.constant is not None:
        array = filter.constant.reshape(group, int(first) // group, *filter.constant.shape[1:])  # type: ignore[arg-type]
        return g.cast(g.constant(array), FLOAT32)
    if isinstance(first, Expr):
        raise NoLowering(f"openvino: groups of a filter {filter.type}")
    shape = [group, first // group, *(-1 if isinstance(d, Expr) else d for d in rest)]
    return g.reshape(g.cast(filter, FLOAT32), shape)


def _biased(g: Emitter, result: Ref, bias: Value, rank: int) -> Ref:
    if bias.constant is not None:
        if not bias.constant.any():
            return result
        column = g.cast(g.constant(bias.constant.reshape(1, -1, *(1,) * rank)), FLOAT32)
    else:
        column = g.reshape(g.cast(bias, FLOAT32), [1, -1, *(1,) * rank])
    return g.pair("Add", result, column)


@table.lower(conv.conv_2d, conv.conv_3d)
def convolution(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    fuse_code: Fuse,
) -> Any:
    _require_float("convolution", input)
    rank = len(strides)
    kernel = windows.sized("a filter", filter)
    dilated = [1] * rank if auto_pad == AutoPad.SAME else list(dilations)
    how = windows.padding(input, auto_pad, pads, kernel, strides)
    result = _convolved(g, g.cast(input, FLOAT32), filter, group, how, strides, dilated)
    result = _biased(g, result, bias, rank)
    return g.cast(fused(g, result, fuse_code), input.precision)


def _convolved(
    g: Emitter,
    x: Ref,
    filter: Value,
    group: int,
    how: dict[str, Any],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Ref:
    """The native operator without negative padding, which is cut off before."""
    pairs = list(zip(how["pads_begin"], how["pads_end"], strict=True))
    if any(a < 0 or b < 0 for a, b in pairs):
        x = windows.bordered(g, x, [(min(a, 0), min(b, 0)) for a, b in pairs])
        how = how | {k: [max(p, 0) for p in how[k]] for k in ("pads_begin", "pads_end")}
    given = {"strides": list(strides), "dilations": list(dilations), **how}
    if group == 1:
        return g.node("Convolution", x, g.cast(filter, FLOAT32), **given)
    return g.node("GroupConvolution", x, _grouped(g, filter, group, transposed=False), **given)


@table.lower(conv.conv_2d_transpose, conv.conv_3d_transpose)
def transposed_convolution(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
    fuse_code: Fuse,
) -> Any:
    """The native operator; what it cannot be told of the border is padded or cut off after it."""
    _require_float("transposed convolution", input)
    rank = len(strides)
    kernel = windows.sized("a filter", filter)
    if auto_pad == AutoPad.SAME:
        dilations = (1,) * rank
    extra = output_padding or (0,) * rank
    if auto_pad == AutoPad.SAME or output_shape is not None:
        borders = _forced(input, kernel, auto_pad, pads, strides, dilations, output_shape, extra)
    else:
        pairs = shared.pair_pads(pads if auto_pad == AutoPad.NONE else None, rank)
        borders = [(a, b - e) for (a, b), e in zip(pairs, extra, strict=True)]
    inner = [(max(a, 0), max(b, 0)) for a, b in borders]
    outer = [(max(-a, 0), max(-b, 0)) for a, b in borders]
    given: dict[str, Any] = {
        "strides": list(strides),
        "dilations": list(dilations),
        "pads_begin": [a for a, _ in inner],
        "pads_end": [b for _, b in inner],
        "auto_pad": "explicit",
        "output_padding": [0] * rank,
    }
    x = g.cast(input, FLOAT32)
    if group == 1:
        result = g.node("ConvolutionBackpropData", x, g.cast(filter, FLOAT32), **given)
    else:
        weights = _grouped(g, filter, group, transposed=True)
        result = g.node("GroupConvolutionBackpropData", x, weights, **given)
    result = _biased(g, windows.bordered(g, result, outer), bias, rank)
    return g.cast(fused(g, result, fuse_code), input.precision)


def _forced(
    input: Value,
    kernel: Sequence[int],
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    strides: Sequence[int],
    dilations: Sequence[int],
    output_shape: Sequence[int] | None,
    extra: Sequence[int],
) -> list[tuple[int, int]]:
    """(before, after) of each axis where they depend on the sizes."""
    sizes = windows.sized("CONV_2D_TRANSPOSE", input)
    covered = shared.extents(kernel, dilations)
    pairs = shared.resolve_padding(auto_pad, pads, sizes, covered, strides)
    found = []
    for k, (size, extent, stride, (before, after)) in enumerate(
        zip(sizes, covered, strides, pairs, strict=True)
    ):
        if output_shape is None:
            found.append((before, after - extra[k]))
        else:
            found.append((before, (size - 1) * stride + extent - before - output_shape[k]))
    return found


PARTS = 16
"""Integers of 8 bits less a zero point are cut in two by this."""
EXACT = (1 << 24) // (PARTS * 255)


@table.lower(conv.conv_integer)
def conv_integer(
    g: Emitter,
    input: Value,
    filter: Value,
    input_zero_point: Value | None = None,
    filter_zero_point: Value | None = None,
    *,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
) -> Any:
    """Two convolutions of floats, in which every sum is exact."""
    taps = [d for d in filter.shape[1:] if not isinstance(d, Expr)]
    if len(taps) < filter.rank - 1 or int(np.prod(taps)) > EXACT:
        raise NoLowering(f"openvino: sums of integers of a filter {filter.type} in float32")
    rank = len(strides)
    x = _centred(g, input, input_zero_point, 0)
    w = _centred(g, filter, filter_zero_point, filter.rank - 1)
    by = g.number(PARTS, x)
    high = g.node("Floor", g.pair("Divide", x, by))
    low = g.pair("Subtract", x, g.pair("Multiply", high, by))
    how = windows.padding(input, AutoPad.NONE, pads, [1] * rank, strides)
    given: dict[str, Any] = {"strides": list(strides), "dilations": list(dilations), **how}
    if group == 1:
        sums = [g.node("Convolution", part, w, **given) for part in (high, low)]
    else:
        first = filter.shape[0]
        if isinstance(first, Expr):
            raise NoLowering(f"openvino: groups of a filter {filter.type}")
        split = g.reshape(w, [group, first // group, *taps])
        sums = [g.node("GroupConvolution", part, split, **given) for part in (high, low)]
    tall, short = (g.cast(s, Precision.INT32) for s in sums)
    return g.pair("Add", g.pair("Multiply", tall, g.number(PARTS, tall)), short)


def _centred(g: Emitter, value: Value, zero: Value | None, tail: int) -> Ref:
    """Integers less their zero point, as floats."""
    real = g.cast(value, FLOAT32)
    if zero is None:
        return real
    offset = g.cast(zero, FLOAT32)
    many = zero.rank == 1 and zero.shape[0] != 1 and tail
    offset = g.reshape(offset, [-1, *(1,) * tail] if many else [])
    return g.pair("Subtract", real, offset)


@table.lower(conv.col_2_im)
def col_2_im(
    g: Emitter,
    input: Value,
    image_shape: Value,
    block_shape: Value,
    *,
    dilations: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Any:
    _require_float("col_2_im", input)
    rank = 2
    if image_shape.shape != (2,):
        raise NoLowering(f"openvino has col_2_im of images only, not {image_shape.type}")
    pairs = shared.pair_pads(pads, rank)
    return g.node(
        "Col2Im",
        input,
        g.int64(image_shape),
        g.int64(block_shape),
        strides=list(strides or (1,) * rank),
        dilations=list(dilations or (1,) * rank),
        pads_begin=[a for a, _ in pairs],
        pads_end=[b for _, b in pairs],
    )


@table.lower(conv.deformable_conv_2d)
def deformable_conv_2d(
    g: Emitter,
    input: Value,
    offset: Value,
    mask: Value,
    filter: Value,
    bias: Value,
    *,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    deformable_group: int,
    dilations: tuple[int, ...],
    fuse_code: Fuse,
) -> Any:
    pairs = shared.pair_pads(pads, 2)
    operands: list[Operand] = [g.cast(v, FLOAT32) for v in (input, offset, filter, mask)]
    result = g.node(
        "DeformableConvolution",
        *operands,
        strides=list(strides),
        dilations=list(dilations),
        pads_begin=[a for a, _ in pairs],
        pads_end=[b for _, b in pairs],
        auto_pad="explicit",
        group=group,
        deformable_group=deformable_group,
        bilinear_interpolation_pad=True,
    )
    result = _biased(g, result, bias, 2)
    return g.cast(fused(g, result, fuse_code), input.precision)
