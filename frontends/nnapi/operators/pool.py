"""NNAPI's pools."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import unary
from nnir.recipes.pool import pool_windows

from ...table import Table
from .fused import activate
from .windows import NHWC, Sliding

table = Table()


@table.each({"MAX_POOL_2D": True, "AVERAGE_POOL_2D": False})
def _pool(
    maximum: bool,
    input: Value,
    *,
    how: Sliding,
    filter_width: int,
    filter_height: int,
    fuse_code: int,
) -> Value:
    window = how.window((filter_height, filter_width))
    return activate(pool_windows(input, window, NHWC, maximum=maximum), fuse_code)


@table.convert("L2_POOL_2D")
def l2_pool_2d(
    input: Value, *, how: Sliding, filter_width: int, filter_height: int, fuse_code: int
) -> Value:
    """The root of the mean of squares."""
    window = how.window((filter_height, filter_width))
    means = pool_windows(unary.square(input), window, NHWC, maximum=False)
    return activate(unary.sqrt(means), fuse_code)
