"""Convolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv
from nnir.ops import windows as shared
from nnir.types import AutoPad, Fuse, Precision

from ...lowering import Lowerings
from . import windows
from .binary import CODES, fused
from .emitter import Emitter, Ref, channels_last
from .static import numbers
from .unary import real

table = Lowerings()


def kernel_of(name: str, filter: Value) -> list[int]:
    return windows.sized(name, filter)


def bias_of(g: Emitter, bias: Value) -> Ref:
    return g.cast(bias, Precision.FLOAT32)


@table.lower(conv.conv_2d)
def conv_2d(
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
    real(g, input)
    if auto_pad == AutoPad.SAME:
        dilations = (1, 1)
    kernel = kernel_of("conv_2d", filter)
    extents = shared.extents(kernel, dilations)
    pairs = windows.pairs_of("conv_2d", input, auto_pad, pads, extents, strides)
    x = windows.stored_last(g, input)
    x, padding = windows.padded(g, input, x, pairs, extents, strides)
    shape = _result(g, input.shape[0], filter.shape[0])
    return convolved(
        g, x, filter, bias_of(g, bias), shape, padding, strides, group, dilations, fuse_code
    )


def _result(g: Emitter, batch: Dim, channels: Dim) -> tuple[Dim, ...]:
    """The sizes of the operation's result, channels last."""
    operation = g.operation
    if operation is None:
        raise NoLowering("a convolution outside of a model")
    return (batch, *operation.outputs[0].shape[2:], channels)


def convolved(
    g: Emitter,
    x: Ref,
    filter: Any,
    bias: Ref,
    shape: tuple[Dim, ...],
    padding: int,
    strides: Sequence[int],
    group: int,
    dilations: Sequence[int],
    fuse_code: Fuse,
) -> Ref:
    """CONV_2D or DEPTHWISE_CONV_2D of a tensor with channels last."""
    channels, filters = x.tensor.shape[3], shape[3]
    fields: dict[str, Any] = {
        "padding": padding,
        "stride_h": strides[0],
        "stride_w": strides[1],
        "dilation_h_factor": dilations[0],
        "dilation_w_factor": dilations[1],
        "fused_activation_function": CODES.get(fuse_code, 0),
    }
    order = channels_last(4)
    if group > 1 and group == channels and isinstance(filters, int):
        weights = g.ordered(filter, (1, 2, 3, 0))
        fields["depth_multiplier"] = filters // group
        result = g.compute("DEPTHWISE_CONV_2D", [x, weights, bias], shape, order, **fields)
    else:
        weights = g.ordered(filter, (0, 2, 3, 1))
        result = g.compute("CONV_2D", [x, weights, bias], shape, order, **fields)
    if weights.tensor.data is None or bias.tensor.data is None:
        result = unbounded(g, result)
    return result if fuse_code in CODES else fused(g, result, fuse_code)


def unbounded(g: Emitter, result: Ref) -> Ref:
    """LiteRT's own kernels, other than XNNPACK's, keep results within the finite numbers."""
    most = np.finfo(np.float32).max
    for bound, beyond in ((most, np.inf), (-most, -np.inf)):
        at = g.elementwise("EQUAL", result, g.constant(bound), precision=Precision.BOOL8)
        result = g.where(at, g.constant(np.float32(beyond)), result)
    return result


@table.lower(conv.conv_3d)
def conv_3d(
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
    real(g, input)
    if auto_pad == AutoPad.SAME:
        dilations = (1, 1, 1)
    extents = shared.extents(kernel_of("conv_3d", filter), dilations)
    pairs = windows.pairs_of("conv_3d", input, auto_pad, pads, extents, strides)
    x = windows.stored_last(g, input)
    x, padding = windows.padded(g, input, x, pairs, extents, strides)
    fields: dict[str, Any] = {"padding": padding}
    for letter, stride, dilation in zip("dhw", strides, dilations, strict=True):
        fields |= {f"stride_{letter}": stride, f"dilation_{letter}_factor": dilation}
    shape = _result(g, input.shape[0], filter.shape[0])
    order = channels_last(5)
    parts = []
    for rows, weights, shift in _groups(g, x, filter, bias, group):
        kernel = g.ordered(weights, (2, 3, 4, 1, 0))
        size = (*shape[:-1], kernel.tensor.shape[-1])
        parts.append(g.compute("CONV_3D", [rows, kernel, shift], size, order, **fields))
    return fused(g, _joined(g, parts, shape), fuse_code)


def _groups(g: Emitter, x: Ref, filter: Value, bias: Value, group: int) -> Any:
    """The channels of each group with its filters and biases."""
    if group == 1:
        return [(x, g.of(filter), bias_of(g, bias))]
    if filter.constant is None or bias.constant is None:
        raise NoLowering("litert has groups of such convolutions with constant filters only")
    kernels = np.split(filter.constant.astype(np.float32), group)
    shifts = np.split(bias.constant.astype(np.float32), group)
    rows = zip(_split(g, x, group), kernels, shifts, strict=True)
    return [(part, g.constant(w), g.constant(b)) for part, w, b in rows]


def _split(g: Emitter, x: Ref, group: int) -> list[Ref]:
    """The last axis in equal parts."""
    channels = x.tensor.shape[-1]
    if not isinstance(channels, int):
        raise NoLowering("groups of an unknown number of channels")
    size = channels // group
    shape = (*x.tensor.shape[:-1], size)
    lead = [0] * (x.rank - 1)
    sizes = g.ints(*([-1] * (x.rank - 1)), size)
    return [
        g.move("SLICE", [x], shape, x.order, g.ints(*lead, k * size), sizes) for k in range(group)
    ]


def _joined(g: Emitter, parts: list[Ref], shape: tuple[Dim, ...]) -> Ref:
    if len(parts) == 1:
        return parts[0]
    return g.move("CONCATENATION", parts, shape, parts[0].order, axis=len(shape) - 1)


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
    """In FLOAT32 where no sum goes beyond what it holds exactly."""
    rank = len(strides)
    count = math.prod(int(d) for d in filter.shape[1:] if isinstance(d, int))
    if rank != 2 or not filter.is_static or count * 255 * 255 >= 1 << 24:
        raise NoLowering("litert sums up integers in float32, which holds 24 bits")
    x = _less(g, input, input_zero_point, 0)
    w = _less(g, filter, filter_zero_point, 3)
    extents = shared.extents(kernel_of("conv_integer", filter), dilations)
    pairs = shared.pair_pads(pads, rank)
    last = windows.stored_last(g, x)
    last, padding = windows.padded(g, input, last, pairs, extents, strides)
    shape = _result(g, input.shape[0], filter.shape[0])
    none = g.constant(np.zeros(numbers(filter.shape[:1]), np.float32))
    made = convolved(g, last, w, none, shape, padding, strides, group, dilations, Fuse.NONE)
    return g.cast(made, Precision.INT32)


def _less(g: Emitter, value: Value, zero: Value | None, trailing: int) -> Ref:
    """Integers less their zero point, in FLOAT32."""
    whole = g.cast(value, Precision.FLOAT32)
    if zero is None:
        return whole
    shift = g.cast(zero, Precision.FLOAT32)
    single = all(d == 1 for d in zero.shape)
    column = g.reshape(shift, () if single else (zero.shape[0], *(1,) * trailing))
    return g.elementwise("SUB", whole, column)
