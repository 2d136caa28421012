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
from .emitter import Emitter, Operand, Ref, result_shape

table = Lowerings[Ref]()


@table.lower(pool.max_pool_2d, how=Window, implied=["return_indices_dtype"])
def max_pool_2d(g: Emitter, input: Value, *, fuse_code: Fuse, how: Window) -> Ref:
    return slide(g, "MAX_POOL", input, how, fuse_code)


@table.lower(pool.average_pool_2d, how=Window)
def average_pool_2d(
    g: Emitter, input: Value, *, count_include_pad: bool, fuse_code: Fuse, how: Window
) -> Ref:
    return _average(g, input, how, fuse_code, counts=count_include_pad)


@table.lower(pool.max_pool, how=Window)
def max_pool(g: Emitter, input: Value, *, how: Window) -> Ref:
    return slide(g, "MAX_POOL", input, how)


@table.lower(pool.average_pool, how=Window)
def average_pool(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Ref:
    return _average(g, input, how, counts=count_include_pad)


def _average(
    g: Emitter, input: Value, how: Window, fuse_code: Fuse = Fuse.NONE, *, counts: bool
) -> Ref:
    """The mean of what of each window lies in the image, unless the border `counts`."""
    if counts and (how.ceil_mode or any(map(any, how.resolve_padding(g.known(input.shape)[2:])))):
        raise NoLowering("nnrt has means of what of each window lies in the image")
    return slide(g, "AVG_POOL", input, how, fuse_code)


@table.lower(pool.adaptive_average_pool_2d)
def adaptive_average_pool_2d(g: Emitter, input: Value, *, output_shape: Ints) -> Ref:
    sizes = g.known(input.shape)[2:]
    if any(n % out for n, out in zip(sizes, output_shape, strict=True)):
        raise NoLowering(f"nnrt has bins of one size, not {output_shape} of {sizes}")
    bins = tuple(n // out for n, out in zip(sizes, output_shape, strict=True))
    return slide(g, "AVG_POOL", input, Window(bins, kernel_shape=bins))


def slide(
    g: Emitter,
    name: str,
    input: Operand,
    how: Window,
    fuse_code: Fuse = Fuse.NONE,
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
        **{"global": False, **padding_of(how)},
    )
    return after(g, made, fuse_code)
