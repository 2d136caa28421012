"""TensorFlow's convolutions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from nnir.broadcast import contents
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, index, shape
from nnir.recipes.conv import convolve_images, convolve_transposed, filter_output_first
from nnir.recipes.layout import is_channels_last
from nnir.recipes.windows import known_channels, make_window

from ...table import Table

table = Table()
FAR = int(np.iinfo(np.int64).max)


def depthwise(filter: Value) -> Value:
    """A filter [height, width, channels, multiplier] as [channels * multiplier, 1, ...]."""
    height, width, depth, multiplier = filter.sizes
    turned = shape.transpose(filter, perm=(2, 3, 0, 1))
    return shape.reshape(turned, [depth * multiplier, 1, height, width])


def grouped_convolution(
    input: Value,
    filter: Value,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int],
    data_format: str,
    dilations: Sequence[int],
) -> Value:
    """A convolution in as many groups as the filter's channels go into those of the input."""
    if filter.rank not in (4, 5) or input.rank != filter.rank:
        raise BadType(f"a convolution of {input.type} with {filter.type}")
    *kernel, depth, _ = filter.sizes
    channels = known_channels(input, data_format)
    if not depth or channels % depth:
        raise BadType(f"a convolution of {channels} channels with {filter.type}")
    how = make_window(kernel, strides, padding, data_format, dilations, explicit_paddings)
    return convolve_images(input, filter_output_first(filter), how, data_format, channels // depth)


@table.convert("Conv2D")
def conv_2d(
    input: Value,
    filter: Value,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...] = (),
    data_format: str = "NHWC",
    dilations: tuple[int, ...] = (1, 1, 1, 1),
) -> Value:
    return grouped_convolution(
        input, filter, strides, padding, explicit_paddings, data_format, dilations
    )


@table.convert("Conv3D")
def conv_3d(
    input: Value,
    filter: Value,
    *,
    strides: tuple[int, ...],
    padding: str,
    data_format: str = "NDHWC",
    dilations: tuple[int, ...] = (1, 1, 1, 1, 1),
) -> Value:
    return grouped_convolution(input, filter, strides, padding, (), data_format, dilations)


@table.convert("Conv")
def conv_(
    input: Value,
    filter: Value,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...] = (),
    data_format: str = "CHANNELS_LAST",
    dilations: tuple[int, ...] = (),
    batch_dims: int = 1,
    groups: int = 1,
) -> Value:
    """The number of groups follows from the channels."""
    if batch_dims != 1:
        raise Unsupported(f"Conv with batch_dims={batch_dims}")
    return grouped_convolution(
        input, filter, strides, padding, explicit_paddings, data_format, dilations
    )


@table.convert("DepthwiseConv2dNative")
def depthwise_conv_2d(
    input: Value,
    filter: Value,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...] = (),
    data_format: str = "NHWC",
    dilations: tuple[int, ...] = (1, 1, 1, 1),
) -> Value:
    """Channel k gives the channels k * multiplier and following."""
    if filter.rank != 4:
        raise BadType(f"a depthwise convolution with a filter {filter.type}")
    how = make_window(filter.shape[:2], strides, padding, data_format, dilations, explicit_paddings)
    return convolve_images(input, depthwise(filter), how, data_format, filter.sizes[2])


def _groups(input_sizes: Value, filter: Value, data_format: str) -> int:
    found = contents(input_sizes)
    if found is None or len(found) != filter.rank:
        return 1
    channels, depth = found[-1 if is_channels_last(data_format) else 1], filter.shape[-2]
    if isinstance(channels, Expr) or isinstance(depth, Expr) or not depth:
        return 1
    if channels % depth:
        raise BadType(f"a transposed convolution to {channels} channels with {filter.type}")
    return int(channels // depth)


@table.convert("Conv2DBackpropInput")
def conv_2d_transpose(
    input_sizes: Index,
    filter: Value,
    out_backprop: Value,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...] = (),
    data_format: str = "NHWC",
    dilations: tuple[int, ...] = (1, 1, 1, 1),
) -> Value:
    how = make_window(filter.shape[:2], strides, padding, data_format, dilations, explicit_paddings)
    group = _groups(input_sizes, filter, data_format)
    weights = filter_output_first(filter)
    return convolve_transposed(input_sizes, weights, out_backprop, how, data_format, group)


@table.convert("Conv3DBackpropInputV2")
def conv_3d_transpose(
    input_sizes: Index,
    filter: Value,
    out_backprop: Value,
    *,
    strides: tuple[int, ...],
    padding: str,
    data_format: str = "NDHWC",
    dilations: tuple[int, ...] = (1, 1, 1, 1, 1),
) -> Value:
    how = make_window(filter.shape[:-2], strides, padding, data_format, dilations)
    group = _groups(input_sizes, filter, data_format)
    weights = filter_output_first(filter)
    return convolve_transposed(input_sizes, weights, out_backprop, how, data_format, group)


@table.convert("DepthwiseConv2dNativeBackpropInput")
def depthwise_conv_2d_transpose(
    input_sizes: Index,
    filter: Value,
    out_backprop: Value,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...] = (),
    data_format: str = "NHWC",
    dilations: tuple[int, ...] = (1, 1, 1, 1),
) -> Value:
    """Every channel of the image from the `multiplier` channels that it gave."""
    how = make_window(filter.shape[:2], strides, padding, data_format, dilations, explicit_paddings)
    weights, group = depthwise(filter), filter.sizes[2]
    return convolve_transposed(input_sizes, weights, out_backprop, how, data_format, group)


@table.convert("Dilation2D")
def dilation_2d(
    input: Value,
    filter: Value,
    *,
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    padding: str,
) -> Value:
    """The largest sum of a window and the filter: a term for each place of the filter."""
    if not input.is_float:
        raise Unsupported(f"Dilation2D of {input.type}")
    how = make_window(filter.shape[:2], strides, padding, "NHWC", rates)
    top, bottom, left, right = how.all_pads(input.shape[1:3])
    lowest = input.model.constant(np.array(-np.inf, input.dtype))
    padded = input
    if any((top, bottom, left, right)):
        padded = shape.pad(input, [0, 0, top, bottom, left, right, 0, 0], lowest)
    result: Value | None = None
    for place in itertools.product(*map(range, how.kernel)):
        starts = [k * d for k, d in zip(place, how.dilations, strict=True)]
        ends = [s - e + 1 or FAR for s, e in zip(starts, how.extents, strict=True)]
        part = index.slice_(padded, [1, 2], starts, ends, list(how.strides))
        term = part + index.gather(index.gather(filter, place[0]), place[1])
        result = term if result is None else binary.max_(result, term)
    if result is None:
        raise BadType(f"Dilation2D with a filter {filter.type}")
    return result


@table.convert("BiasAdd")
def bias_add(value: Value, bias: Value, *, data_format: str = "NHWC") -> Value:
    if not is_channels_last(data_format) and value.rank > 2:
        bias = shape.unsqueeze(bias, list(range(1, value.rank - 1)))
    return value + bias


@table.convert("BiasAddV1")
def bias_add_v1(value: Value, bias: Value) -> Value:
    return value + bias
