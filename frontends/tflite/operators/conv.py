"""TFLite's convolutions."""

from __future__ import annotations

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Index, Value
from nnir.ops import shape
from nnir.recipes.conv import convolve_images, convolve_transposed, filter_output_first
from nnir.recipes.windows import Window, known_channels, make_window

from ...table import Table
from .fused import activate

table = Table()
NHWC = "NHWC"
NDHWC = "NDHWC"


def _window(
    filter: Value,
    axes: slice,
    padding: str,
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
) -> Window:
    layout = NHWC if len(strides) == 2 else NDHWC
    kernel = filter.shape[axes]
    return make_window(kernel, (1, *strides, 1), padding, layout, (1, *dilations, 1))


def _groups(input: Value, depth: int, filter: Value, layout: str) -> int:
    channels = known_channels(input, layout)
    if not depth or channels % depth:
        raise BadType(f"a convolution of {channels} channels with {filter.type}")
    return channels // depth


def _transpose_filter(filter: Value, *perm: int) -> Value:
    return shape.transpose(filter, perm=perm)


@table.convert("CONV_2D")
def conv_2d(
    input: Value,
    filter: Value,
    bias: Value | None = None,
    *,
    padding: str,
    stride_w: int,
    stride_h: int,
    fused_activation_function: str,
    dilation_w_factor: int,
    dilation_h_factor: int,
) -> Value:
    """The filter is [out, height, width, in / groups]."""
    if input.rank != 4 or filter.rank != 4:
        raise BadType(f"CONV_2D of {input.type} with {filter.type}")
    dilations = (dilation_h_factor, dilation_w_factor)
    how = _window(filter, slice(1, 3), padding, (stride_h, stride_w), dilations)
    (depth,) = filter.sizes[3:]
    groups = _groups(input, depth, filter, NHWC)
    weights = _transpose_filter(filter, 0, 3, 1, 2)
    result = convolve_images(input, weights, how, NHWC, groups, bias)
    return activate(result, fused_activation_function)


@table.convert("DEPTHWISE_CONV_2D")
def depthwise_conv_2d(
    input: Value,
    filter: Value,
    bias: Value | None = None,
    *,
    padding: str,
    stride_w: int,
    stride_h: int,
    depth_multiplier: int,
    fused_activation_function: str,
    dilation_w_factor: int,
    dilation_h_factor: int,
) -> Value:
    """The filter is [1, height, width, channels * multiplier]; its size says the multiplier."""
    if input.rank != 4 or filter.rank != 4 or filter.shape[0] != 1:
        raise BadType(f"DEPTHWISE_CONV_2D of {input.type} with {filter.type}")
    dilations = (dilation_h_factor, dilation_w_factor)
    how = _window(filter, slice(1, 3), padding, (stride_h, stride_w), dilations)
    weights = _transpose_filter(filter, 3, 0, 1, 2)
    groups = known_channels(input, NHWC)
    result = convolve_images(input, weights, how, NHWC, groups, bias)
    return activate(result, fused_activation_function)


@table.convert("TRANSPOSE_CONV")
def transpose_conv(
    output_shape: Index,
    weights: Value,
    input: Value,
    bias: Value | None = None,
    *,
    padding: str,
    stride_w: int,
    stride_h: int,
    fused_activation_function: str,
) -> Value:
    """The weights are [out, height, width, in]."""
    if input.rank != 4 or weights.rank != 4:
        raise BadType(f"TRANSPOSE_CONV of {input.type} with {weights.type}")
    how = _window(weights, slice(1, 3), padding, (stride_h, stride_w), (1, 1))
    turned = _transpose_filter(weights, 3, 0, 1, 2)
    result = convolve_transposed(output_shape, turned, input, how, NHWC, 1, bias)
    return activate(result, fused_activation_function)


@table.convert("Convolution2DTransposeBias")
def convolution_2d_transpose_bias(
    input: Value, weights: Value, bias: Value, *, padding: str, stride_w: int, stride_h: int
) -> Value:
    """MediaPipe's operator, whose result is as large as the steps say; the weights are [out,
    height, width, in]. Of the whole, SAME cuts off what a convolution adds to such an image."""
    if input.rank != 4 or weights.rank != 4 or min(stride_w, stride_h) < 1:
        raise BadType(f"Convolution2DTransposeBias of {input.type} with {weights.type}")
    wanted = []
    for size, extent, step in zip(
        input.shape[1:3], weights.sizes[1:3], (stride_h, stride_w), strict=True
    ):
        if isinstance(size, Expr):
            raise NotConstant(f"Convolution2DTransposeBias of {input.type}: sizes must be known")
        cut = max(0, extent - (size - 1) % step - 1) if padding == "SAME" else 0
        wanted.append((size - 1) * step + extent - cut)
    sizes = input.model.constant(wanted, np.int64)
    how = _window(weights, slice(1, 3), padding, (stride_h, stride_w), (1, 1))
    turned = _transpose_filter(weights, 3, 0, 1, 2)
    return convolve_transposed(sizes, turned, input, how, NHWC, 1, bias)


@table.convert("CONV_3D")
def conv_3d(
    input: Value,
    filter: Value,
    bias: Value | None = None,
    *,
    padding: str,
    stride_d: int,
    stride_w: int,
    stride_h: int,
    fused_activation_function: str,
    dilation_d_factor: int,
    dilation_w_factor: int,
    dilation_h_factor: int,
) -> Value:
    """The filter is [depth, height, width, in / groups, out]."""
    if input.rank != 5 or filter.rank != 5:
        raise BadType(f"CONV_3D of {input.type} with {filter.type}")
    dilations = (dilation_d_factor, dilation_h_factor, dilation_w_factor)
    how = _window(filter, slice(3), padding, (stride_d, stride_h, stride_w), dilations)
    depth = filter.sizes[3]
    groups = _groups(input, depth, filter, NDHWC)
    weights = filter_output_first(filter)
    result = convolve_images(input, weights, how, NDHWC, groups, bias)
    return activate(result, fused_activation_function)


@table.convert("CONV_3D_TRANSPOSE")
def conv_3d_transpose(
    output_shape: Index,
    filter: Value,
    input: Value,
    bias: Value | None = None,
    *,
    padding: str,
    stride_d: int,
    stride_w: int,
    stride_h: int,
    fused_activation_function: str,
    dilation_d_factor: int,
    dilation_w_factor: int,
    dilation_h_factor: int,
) -> Value:
    """The filter is [depth, height, width, out, in]."""
    if input.rank != 5 or filter.rank != 5:
        raise BadType(f"CONV_3D_TRANSPOSE of {input.type} with {filter.type}")
    dilations = (dilation_d_factor, dilation_h_factor, dilation_w_factor)
    how = _window(filter, slice(3), padding, (stride_d, stride_h, stride_w), dilations)
    weights = filter_output_first(filter)
    result = convolve_transposed(output_shape, weights, input, how, NDHWC, 1, bias)
    return activate(result, fused_activation_function)
