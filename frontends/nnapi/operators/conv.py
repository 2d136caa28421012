"""NNAPI's convolutions."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import shape
from nnir.recipes.conv import convolve_images
from nnir.recipes.windows import known_channels

from ...table import Table
from .fused import activate
from .windows import NHWC, Sliding

table = Table()


@table.convert("CONV_2D")
def conv_2d(input: Value, filter: Value, bias: Value, *, how: Sliding, fuse_code: int) -> Value:
    """The filter is [out, height, width, in]."""
    weights = shape.transpose(filter, perm=(0, 3, 1, 2))
    window = how.window(filter.shape[1:3])
    return activate(convolve_images(input, weights, window, NHWC, 1, bias), fuse_code)


@table.convert("DEPTHWISE_CONV_2D")
def depthwise_conv_2d(
    input: Value,
    filter: Value,
    bias: Value,
    *,
    how: Sliding,
    depth_multiplier: int,
    fuse_code: int,
) -> Value:
    """The filter is [1, height, width, channels * multiplier]."""
    weights = shape.transpose(filter, perm=(3, 0, 1, 2))
    groups = known_channels(filter, NHWC) // depth_multiplier
    window = how.window(filter.shape[1:3])
    return activate(convolve_images(input, weights, window, NHWC, groups, bias), fuse_code)
