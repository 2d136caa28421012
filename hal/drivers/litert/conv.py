"""Convolutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv
from nnir.types import Fuse, Precision

from ...attributes import Window
from ...lowering import Lowerings
from ...orders import channels_last
from . import windows
from .binary import CODES, apply_fuse_code
from .emitter import Emitter, Operand, Ref, Refs, result_shape
from .static import numbers
from .unary import real

table = Lowerings[Ref]()


def kernel_of(name: str, filter: Value) -> list[int]:
    return windows.spatial_sizes(name, filter)


def bias_of(g: Emitter, bias: Value) -> Ref:
    return g.cast(bias, Precision.FLOAT32)


@table.lower(conv.conv_2d, how=Window)
def conv_2d(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    group: int,
    fuse_code: Fuse,
    how: Window,
) -> Ref:
    real(g, input)
    how = how.over(kernel_of("conv_2d", filter))
    x, padding = windows.pad_for_kernel(g, "conv_2d", input, windows.stored_last(g, input), how)
    shape = _result(g, input.shape[0], filter.shape[0])
    return convolve(g, x, filter, bias_of(g, bias), shape, padding, how, group, fuse_code)


def _steps(how: Window) -> dict[str, int]:
    """Strides and dilations as the kernels take them."""
    strides = windows.along("stride_{}", how.strides)
    return strides | windows.along("dilation_{}_factor", how.dilations)


def _result(g: Emitter, batch: Dim, channels: Dim) -> tuple[Dim, ...]:
    """The sizes of the operation's result, channels last."""
    return (batch, *result_shape(g)[2:], channels)


def convolve(
    g: Emitter,
    x: Ref,
    filter: Operand,
    bias: Ref,
    shape: tuple[Dim, ...],
    padding: int,
    how: Window,
    group: int,
    fuse_code: Fuse = Fuse.NONE,
) -> Ref:
    """CONV_2D or DEPTHWISE_CONV_2D of a tensor with channels last."""
    channels, filters = x.tensor.shape[3], shape[3]
    fields: dict[str, Any] = {
        "padding": padding,
        **_steps(how),
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
        result = restore_infinities(g, result)
    return result if fuse_code in CODES else apply_fuse_code(g, result, fuse_code)


def restore_infinities(g: Emitter, result: Ref) -> Ref:
    """LiteRT's own kernels, other than XNNPACK's, keep results within the finite numbers."""
    most = np.finfo(np.float32).max
    for bound, beyond in ((most, np.inf), (-most, -np.inf)):
        at = result.equal(g.constant(bound))
        result = g.where(at, beyond, result)
    return result


@table.lower(conv.conv_3d, how=Window)
def conv_3d(
    g: Emitter, input: Value, filter: Value, bias: Value, *, group: int, how: Window
) -> Ref:
    real(g, input)
    how = how.over(kernel_of("conv_3d", filter))
    x, padding = windows.pad_for_kernel(g, "conv_3d", input, windows.stored_last(g, input), how)
    shape = _result(g, input.shape[0], filter.shape[0])
    fields: dict[str, Any] = {"padding": padding, **_steps(how)}
    order = channels_last(5)
    parts = []
    for rows, weights, shift in _groups(g, x, filter, bias, group):
        kernel = g.ordered(weights, (2, 3, 4, 1, 0))
        size = (*shape[:-1], kernel.tensor.shape[-1])
        parts.append(g.compute("CONV_3D", [rows, kernel, shift], size, order, **fields))
    return _concat(g, parts, shape)


def _groups(g: Emitter, x: Ref, filter: Value, bias: Value, group: int) -> list[Refs]:
    """The channels of each group with its filters and biases."""
    if group == 1:
        return [(x, g.take(filter), bias_of(g, bias))]
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


def _concat(g: Emitter, parts: list[Ref], shape: tuple[Dim, ...]) -> Ref:
    if len(parts) == 1:
        return parts[0]
    return g.move("CONCATENATION", parts, shape, parts[0].order, axis=len(shape) - 1)


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
    """In FLOAT32 where no sum goes beyond what it holds exactly."""
    count = math.prod(int(d) for d in filter.shape[1:] if isinstance(d, int))
    if how.rank != 2 or not filter.is_static or count * 255 * 255 >= 1 << 24:
        raise NoLowering("litert sums up integers in float32, which holds 24 bits")
    x = _less(g, input, input_zero_point, 0)
    w = _less(g, filter, filter_zero_point, 3)
    how = how.over(kernel_of("conv_integer", filter))
    last, padding = windows.pad_for_kernel(g, "conv_integer", input, windows.stored_last(g, x), how)
    shape = _result(g, input.shape[0], filter.shape[0])
    none = g.constant(np.zeros(numbers(filter.shape[:1]), np.float32))
    return convolve(g, last, w, none, shape, padding, how, group).cast(Precision.INT32)


def _less(g: Emitter, value: Value, zero: Value | None, trailing: int) -> Ref:
    """Integers less their zero point, in FLOAT32."""
    whole = g.cast(value, Precision.FLOAT32)
    if zero is None:
        return whole
    shift = g.cast(zero, Precision.FLOAT32)
    single = all(d == 1 for d in zero.shape)
    column = g.reshape(shift, () if single else (zero.shape[0], *(1,) * trailing))
    return whole - column
