"""Pools of images."""

from __future__ import annotations

import math

from nnir.errors import NoLowering
from nnir.ops import pool

from ...attributes import Window
from ...lowering import Lowerings
from .conv import LAST, stored_last
from .emitter import BYTES, Emitter, Real, Ref, Taken
from .quant import as_numbers

table = Lowerings[Ref]()


@table.lower(pool.average_pool_2d, how=Window)
def average_pool_2d(g: Emitter, input: Real, *, count_include_pad: bool, how: Window) -> Ref:
    if count_include_pad and any(map(any, _pairs(input, how))):
        raise NoLowering("nnapi counts no borders")
    return slide(g, "AVERAGE_POOL_2D", input, how)


@table.lower(pool.max_pool_2d, how=Window, implied=["return_indices_dtype"])
def max_pool_2d(g: Emitter, input: Taken, *, how: Window) -> Ref:
    if input.precision in BYTES and not input.tensor.scale:
        input = as_numbers(g, input)
    return slide(g, "MAX_POOL_2D", input, how)


@table.lower(pool.lp_pool, how=Window)
def lp_pool(g: Emitter, input: Real, *, p: float, how: Window) -> Ref:
    """The root of a mean, times that of the size of a window."""
    if p != 2 or how.rank != 2 or any(map(any, _pairs(input, how))):
        raise NoLowering("nnapi has 2-norms of windows that lie inside of an image")
    return slide(g, "L2_POOL_2D", input, how) * math.sqrt(math.prod(how.kernel_shape))


def _pairs(x: Ref, how: Window) -> list[tuple[int, int]]:
    """The borders, grown behind for windows that end beyond the image."""
    sizes = x.sizes[2:]
    return how.fit_padding(sizes) or [] if how.ceil_mode else [*how.resolve_padding(sizes)]


def slide(g: Emitter, kernel: str, x: Ref, how: Window) -> Ref:
    """A pool of an image with channels last; no window lies in the border alone."""
    pairs = _pairs(x, how)
    if how.is_dilated or any(max(p) >= n for p, n in zip(pairs, how.kernel_shape, strict=True)):
        raise NoLowering(
            f"nnapi pools by {how.kernel_shape} without dilations and in a border of less, "
            f"not {pairs}"
        )
    image, pads = stored_last(g, x, pairs)
    window = [*pads, *how.strides[::-1], *how.kernel_shape[::-1]]
    return g.one(kernel, [image, *window], order=LAST, like=image)
