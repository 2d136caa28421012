"""Pools of images with channels last."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool
from nnir.types import Fuse

from ...attributes import Ints, Window
from ...lowering import Lowerings
from ...orders import channels_last
from .binary import FUSES, after
from .conv import padding_of
from .emitter import Emitter, Ref, result_shape

table = Lowerings[Ref]()


@table.lower(pool.max_pool_2d, how=Window, implied=["return_indices_dtype"])
def max_pool_2d(g: Emitter, input: Value, *, fuse_code: Fuse, how: Window) -> Ref:
    return slide(g, "MAX_POOL", input, how, fuse_code)


@table.lower(pool.average_pool_2d, how=Window)
def average_pool_2d(
    g: Emitter, input: Value, *, count_include_pad: bool, fuse_code: Fuse, how: Window
) -> Ref:
    _require_own_elements(how, count_include_pad=count_include_pad)
    return slide(g, "AVG_POOL", input, how, fuse_code)


@table.lower(pool.max_pool, how=Window)
def max_pool(g: Emitter, input: Value, *, how: Window) -> Ref:
    return slide(g, "MAX_POOL", input, how)


@table.lower(pool.average_pool, how=Window)
def average_pool(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Ref:
    _require_own_elements(how, count_include_pad=count_include_pad)
    return slide(g, "AVG_POOL", input, how)


@table.lower(pool.adaptive_average_pool_2d)
def adaptive_average_pool_2d(g: Emitter, input: Value, *, output_shape: Ints) -> Ref:
    if tuple(output_shape) != (1, 1):
        raise NoLowering(f"nnrt has a pool of the whole image, not into {output_shape}")
    how = Window((1, 1), kernel_shape=input.sizes[2:])
    return slide(g, "AVG_POOL", input, how, is_global=True)


def _require_own_elements(how: Window, *, count_include_pad: bool) -> None:
    if count_include_pad and (any(how.pads) or how.is_same or how.ceil_mode):
        raise NoLowering("nnrt has means of what of each window lies in the image")


def slide(
    g: Emitter,
    name: str,
    input: Value,
    how: Window,
    fuse_code: Fuse = Fuse.NONE,
    *,
    is_global: bool = False,
) -> Ref:
    """A pool over two axes."""
    if how.rank != 2 or how.is_dilated:
        raise NoLowering(f"nnrt has pools over two axes without dilations, not {how}")
    n, c, *space = result_shape(g)
    made = g.one(
        name,
        [g.ordered(input, channels_last(4))],
        (n, *space, c),
        channels_last(4),
        kernelSize=how.kernel_shape,
        strides=how.strides,
        roundMode=int(how.ceil_mode),
        activationType=FUSES.get(fuse_code, 0),
        **{"global": is_global, **padding_of(how)},
    )
    return after(g, made, fuse_code)
