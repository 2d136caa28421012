"""Convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.dim import Dim
from nnir.model import Value
from nnir.ops import conv
from nnir.types import Fuse, Precision

from ...attributes import Window
from ...lowering import Lowerings
from ...orders import channels_last
from . import windows
from .binary import CODES, apply_fuse_code
from .emitter import Emitter, Operand, Ref, result_shape
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


def _steps(how: Window) -> dict[str, Any]:
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
def conv_3d(g: Emitter, input: Value, filter: Value, bias: Value, *, how: Window) -> Ref:
    how = how.over(kernel_of("conv_3d", filter))
    last = windows.stored_last(g, real(g, input))
    x, padding = windows.pad_for_kernel(g, "conv_3d", input, last, how)
    shape = _result(g, input.shape[0], filter.shape[0])
    operands = [x, g.ordered(filter, (2, 3, 4, 1, 0)), bias_of(g, bias)]
    order = channels_last(5)
    return g.compute("CONV_3D", operands, shape, order, padding=padding, **_steps(how))
