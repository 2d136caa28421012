"""Pools of images."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import FusedActivation, OperationType
from nnir.model import Value
from nnir.ops import pool

from ...attributes import Window
from ...lowering import Lowerings
from ...orders import channels_last, identity
from .conv import Pairs, stored_last
from .emitter import BYTES, Argument, Emitter, Operand, Ref, result_shape
from .graph import QUANT
from .quant import as_numbers
from .sizes import numbers

table = Lowerings[Ref]()


@table.lower(pool.average_pool_2d, how=Window)
def average_pool_2d(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Ref:
    x, pairs = g.real(input), _pairs(g, input, how)
    if count_include_pad and any(map(any, pairs)):
        if min(n for pair in pairs for n in pair) < 0 or pairs != tuple(how.pairs):
            raise NoLowering("nnapi counts borders that are asked for, or none")
        x, pairs = _pad_zeros(g, x, pairs), ((0, 0), (0, 0))
    return slide(g, OperationType.AVERAGE_POOL_2D, x, how, pairs, result_shape(g))


@table.lower(pool.max_pool_2d, how=Window, implied=["return_indices_dtype"])
def max_pool_2d(g: Emitter, input: Value, *, return_indices: bool, how: Window) -> Ref:
    if return_indices:
        raise NoLowering("nnapi gives no positions of a pool's elements")
    ref = g.take(input)
    if ref.precision in BYTES and not ref.tensor.scale:
        ref = as_numbers(g, ref)
    shape = result_shape(g)
    return slide(g, OperationType.MAX_POOL_2D, ref, how, _pairs(g, input, how), shape)


def _pairs(g: Emitter, input: Value, how: Window) -> Pairs:
    """The borders, grown behind for windows that end beyond the image."""
    sizes = numbers(input.shape[2:])
    pairs = how.resolve_padding(sizes)
    if not how.ceil_mode:
        return tuple(pairs)
    counts = result_shape(g)[2:]
    axes = zip(sizes, pairs, how.extents, how.strides, counts, strict=True)
    return tuple((a, max((count - 1) * s + e - n - a, b)) for n, (a, b), e, s, count in axes)


def _pad_zeros(g: Emitter, ref: Ref, pairs: Pairs) -> Ref:
    """An image with zeros around it."""
    places = np.arange(np.prod(ref.shape)).reshape(ref.shape).transpose(np.argsort(ref.order))
    wide = np.pad(places, [(0, 0), (0, 0), *pairs], constant_values=-1)
    tensor = g.pick(ref, wide, g.constant(np.float32(0)).tensor)
    return Ref(tensor, wide.shape, identity(4), ref.precision)


def slide(
    g: Emitter,
    type: OperationType,
    operand: Operand,
    how: Window,
    pairs: Pairs,
    result: tuple[int, ...],
) -> Ref:
    """A pool of an image with channels last; no window lies in the border alone."""
    for extent, pair in zip(how.kernel_shape, pairs, strict=True):
        if max(pair) >= extent:
            raise NoLowering(f"nnapi pools by {extent} with a border of less, not {pair}")
    if how.is_dilated:
        raise NoLowering("nnapi has no dilated pools")
    x, pads = stored_last(g, operand, pairs)
    (down, across), (height, width) = how.strides, how.kernel_shape
    shape = tuple(result[a] for a in channels_last(4))
    tensor = g.whole(x)
    inputs: list[Argument] = [tensor, *pads, across, down, width, height, int(FusedActivation.NONE)]
    kind = tensor.type
    made = g.step(type, inputs, shape, kind, tensor.grid if kind == QUANT else (0.0, 0))
    return Ref(made, shape, channels_last(4), x.precision)
