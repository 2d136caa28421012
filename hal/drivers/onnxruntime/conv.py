"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv
from nnir.ops import windows as shared
from nnir.types import AutoPad, Fuse, Precision

from ...lowering import Lowerings
from . import windows
from .binary import fused
from .emitter import Emitter, Ref

table = Lowerings()
NARROW = (Precision.FLOAT16, Precision.BFLOAT16)


def _floats(g: Emitter, *operands: Value) -> list[Any]:
    """Operands in float32: a sum in 16 bits would lose what the standard keeps."""
    return [g.cast(v, Precision.FLOAT32) if v.precision in NARROW else v for v in operands]


def _require_float(name: str, input: Value) -> None:
    if input.precision == Precision.FLOAT64 or not input.is_float:
        raise NoLowering(f"onnxruntime has no {name} kernel for {input.precision.name}")


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
    _require_float("Conv", input)
    kernel = windows.sized("a filter", filter)
    how, flat = windows.padding(input, auto_pad, pads, kernel, strides)
    dilated = [1] * len(strides) if auto_pad == AutoPad.SAME else list(dilations)
    result = g.node(
        "Conv",
        *_floats(g, input, filter, bias),
        auto_pad=how,
        pads=flat,
        strides=list(strides),
        group=group,
        dilations=dilated,
    )
    return g.cast(fused(g, result, fuse_code), input.precision)


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
    _require_float("ConvTranspose", input)
    rank = len(strides)
    kernel = windows.sized("a filter", filter)
    if auto_pad == AutoPad.SAME:
        dilations = (1,) * rank
    if auto_pad == AutoPad.SAME or output_shape is not None:
        given = _forced(
            input, kernel, auto_pad, pads, strides, dilations, output_shape, output_padding
        )
    else:
        flat = pads if auto_pad == AutoPad.NONE and pads else (0,) * (2 * rank)
        given = [
            (a, b, e)
            for a, b, e in zip(flat[::2], flat[1::2], output_padding or (0,) * rank, strict=True)
        ]
    x, w, b = _floats(g, input, filter, bias)
    result = g.node(
        "ConvTranspose", x, w, strides=list(strides), group=group, dilations=list(dilations)
    )
    result = _bordered(g, result, [(-before, extra - after) for before, after, extra in given])
    shifted = g.node("Add", result, _column(g, b, rank))
    return g.cast(fused(g, shifted, fuse_code), input.precision)


def _forced(
    input: Value,
    kernel: Sequence[int],
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    strides: Sequence[int],
    dilations: Sequence[int],
    output_shape: Sequence[int] | None,
    output_padding: Sequence[int] | None,
) -> list[tuple[int, int, int]]:
    """(before, after, extra) of each axis where they depend on the sizes."""
    sizes = windows.sized("CONV_2D_TRANSPOSE", input)
    covered = shared.extents(kernel, dilations)
    pairs = shared.resolve_padding(auto_pad, pads, sizes, covered, strides)
    found = []
    for k, (size, extent, stride, (before, after)) in enumerate(
        zip(sizes, covered, strides, pairs, strict=True)
    ):
        extra = output_padding[k] if output_padding else 0
        if output_shape is not None:
            full = (size - 1) * stride + extent
            after, extra = full - before - output_shape[k], 0
        found.append((before, after, extra))
    return found


def _bordered(g: Emitter, x: Ref, borders: Sequence[tuple[int, int]]) -> Ref:
    """Grow (positive) or cut (negative) the spatial axes."""
    if not any(a or b for a, b in borders):
        return x
    pads = [0, 0, *(a for a, _ in borders), 0, 0, *(b for _, b in borders)]
    return g.node("Pad", x, g.constant(np.array(pads, np.int64)))


def _column(g: Emitter, vector: Any, rank: int) -> Ref:
    """[C] as [C, 1, ...]."""
    shape = g.constant(np.array([-1, *(1,) * rank], np.int64))
    return g.node("Reshape", vector, shape)


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
    """ONNX Runtime wants uint8 data; int8 moves up by 128 and so does its zero point."""
    rank = len(strides)
    x, zero = _unsigned(g, input, input_zero_point)
    how: dict[str, Any] = {
        "pads": windows.begins_ends(pads or (0,) * (2 * rank)),
        "strides": list(strides),
        "group": group,
        "dilations": list(dilations),
    }
    whole = filter_zero_point
    per_channel = whole is not None and whole.rank == 1 and whole.shape[0] != 1
    if whole is not None and not per_channel:
        scalar = g.node("Reshape", whole, g.constant(np.zeros(0, np.int64)))
        return g.node("ConvInteger", x, filter, zero, scalar, precision=Precision.INT32, **how)
    total = g.node("ConvInteger", x, filter, zero, precision=Precision.INT32, **how)
    if whole is None:
        return total
    if not filter.is_static:
        raise NoLowering(f"conv_integer with zero points per channel of a filter {filter.type}")
    ones = g.constant(np.ones(tuple(int(d) for d in filter.shape), np.uint8))  # type: ignore[arg-type]
    plain = g.node("ConvInteger", x, ones, zero, precision=Precision.INT32, **how)
    shift = _column(g, g.cast(whole, Precision.INT32), rank)
    return g.node("Sub", total, g.node("Mul", plain, shift))


def _unsigned(g: Emitter, value: Value, zero: Value | None) -> tuple[Any, Any]:
    """uint8 data and its rank-0 zero point that mean the same."""
    scalar = g.constant(np.zeros(0, np.int64))
    if value.precision == Precision.UINT8:
        return value, None if zero is None else g.node("Reshape", zero, scalar)

    def moved(operand: Value) -> Any:
        wide = g.cast(operand, Precision.INT32)
        return g.cast(g.node("Add", wide, g.constant(np.int32(128))), Precision.UINT8)

    shifted = g.constant(np.uint8(128)) if zero is None else g.node("Reshape", moved(zero), scalar)
    return moved(value), shifted


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
    sizes = [g.cast(v, Precision.INT64) for v in (image_shape, block_shape)]
    flat = None if pads is None else windows.begins_ends(pads)
    given = windows.attributes(dilations=dilations, strides=strides, pads=flat)
    return g.node("Col2Im", input, *sizes, **given)


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
    flat = windows.begins_ends(pads or (0,) * 4)
    result = g.node(
        "DeformConv",
        input,
        filter,
        offset,
        bias,
        mask,
        pads=flat,
        strides=list(strides),
        group=group,
        offset_group=deformable_group,
        dilations=list(dilations),
    )
    return fused(g, result, fuse_code)
