"""Pools of images."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import pool

from ...attributes import Window
from ...lowering import Lowerings
from .conv import LAST, Pairs, stored_last
from .emitter import BYTES, Emitter, Operand, Ref, result_shape
from .quant import as_numbers
from .sizes import numbers

table = Lowerings[Ref]()


@table.lower(pool.average_pool_2d, how=Window)
def average_pool_2d(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Ref:
    pairs = _pairs(input, how)
    if count_include_pad and any(map(any, pairs)):
        raise NoLowering("nnapi counts no borders")
    return slide(g, OperationType.AVERAGE_POOL_2D, g.real(input), how, pairs)


@table.lower(pool.max_pool_2d, how=Window, implied=["return_indices_dtype"])
def max_pool_2d(g: Emitter, input: Value, *, return_indices: bool, how: Window) -> Ref:
    if return_indices:
        raise NoLowering("nnapi gives no positions of a pool's elements")
    ref = g.take(input)
    if ref.precision in BYTES and not ref.tensor.scale:
        ref = as_numbers(g, ref)
    return slide(g, OperationType.MAX_POOL_2D, ref, how, _pairs(input, how))


def _pairs(input: Value, how: Window) -> Pairs:
    """The borders, grown behind for windows that end beyond the image."""
    sizes = numbers(input.shape[2:])
    pairs = how.resolve_padding(sizes)
    return tuple(how.fit_padding(sizes) or () if how.ceil_mode else pairs)


def slide(
    g: Emitter,
    type: OperationType,
    operand: Operand,
    how: Window,
    pairs: Pairs,
) -> Ref:
    """A pool of an image with channels last; no window lies in the border alone."""
    for extent, pair in zip(how.kernel_shape, pairs, strict=True):
        if max(pair) >= extent:
            raise NoLowering(f"nnapi pools by {extent} with a border of less, not {pair}")
    if how.is_dilated:
        raise NoLowering("nnapi has no dilated pools")
    x, pads = stored_last(g, operand, pairs)
    (down, across), (height, width) = how.strides, how.kernel_shape
    shape = tuple(result_shape(g)[a] for a in LAST)
    window = [*pads, across, down, width, height]
    return g.one(type, [g.whole(x), *window], shape, LAST, like=x)
