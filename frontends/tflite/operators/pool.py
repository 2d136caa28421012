"""TFLite's pooling."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import unary
from nnir.recipes.pool import pool_windows
from nnir.recipes.windows import make_window

from ...table import Table
from .fused import activate

table = Table()


def _pool(
    input: Value,
    padding: str,
    strides: tuple[int, int],
    kernel: tuple[int, int],
    *,
    maximum: bool = False,
) -> Value:
    if min(kernel) < 1:
        raise BadType(f"a pool with a window of {kernel}")
    for size, width, step in zip(input.shape[1:], kernel, strides, strict=False):
        if padding == "VALID" and isinstance(size, int) and width - size >= 2 * step:
            raise BadType(f"a pool with a window of {kernel} over {input.type}")
    how = make_window(kernel, (1, *strides, 1), padding, "NHWC")
    return pool_windows(input, how, "NHWC", maximum=maximum)


@table.convert("MAX_POOL_2D")
def max_pool_2d(
    input: Value,
    *,
    padding: str,
    stride_w: int,
    stride_h: int,
    filter_width: int,
    filter_height: int,
    fused_activation_function: str,
) -> Value:
    kernel = (filter_height, filter_width)
    result = _pool(input, padding, (stride_h, stride_w), kernel, maximum=True)
    return activate(result, fused_activation_function)


@table.convert("AVERAGE_POOL_2D")
def average_pool_2d(
    input: Value,
    *,
    padding: str,
    stride_w: int,
    stride_h: int,
    filter_width: int,
    filter_height: int,
    fused_activation_function: str,
) -> Value:
    """The mean of what of each window lies in the image."""
    result = _pool(input, padding, (stride_h, stride_w), (filter_height, filter_width))
    return activate(result, fused_activation_function)


@table.convert("L2_POOL_2D")
def l2_pool_2d(
    input: Value,
    *,
    padding: str,
    stride_w: int,
    stride_h: int,
    filter_width: int,
    filter_height: int,
    fused_activation_function: str,
) -> Value:
    """The root of the mean of squares."""
    kernel = (filter_height, filter_width)
    result = unary.sqrt(_pool(unary.square(input), padding, (stride_h, stride_w), kernel))
    return activate(result, fused_activation_function)
