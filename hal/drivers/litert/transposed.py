"""Transposed convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv
from nnir.types import Precision

from ...attributes import Transposed, Window
from ...lowering import Lowerings
from ...orders import channels_last, identity
from . import windows
from .conv import bias_of, convolve, kernel_of
from .emitter import Emitter, Ref, result_shape
from .static import numbers
from .unary import real

table = Lowerings[Ref]()


@table.lower(
    conv.conv_2d_transpose,
    conv.conv_3d_transpose,
    how=Transposed,
)
def transposed_convolution(
    g: Emitter, input: Value, filter: Value, bias: Value, *, group: int, how: Transposed
) -> Ref:
    """The native operator without padding; the border is cut off or added after it.

    In groups it is a convolution of the input with zeros between its elements.
    """
    real(g, input)
    how = how.over(kernel_of("a transposed convolution", filter))
    out = [int(d) for d in result_shape(g)[2:] if isinstance(d, int)]
    if len(out) < how.rank:
        raise NoLowering("a transposed convolution needs known sizes on litert")
    sizes = windows.spatial_sizes("a transposed convolution", input)
    grown = replace(how, output_shape=tuple(out)).growth(sizes)
    weights = _dilate(g, filter, how.dilations)
    x = windows.stored_last(g, input)
    if group > 1 and how.rank == 2:
        result = _zero_stuffed(g, x, weights, grown, how.strides, group, out)
    elif group == 1:
        result = _transpose_convolve(g, x, weights, grown, how.strides, out)
    else:
        raise NoLowering("litert has no transposed convolution in groups over three axes")
    return _add_bias(g, result, bias)


def _add_bias(g: Emitter, result: Ref, bias: Value) -> Ref:
    """With a bias for each channel, unless all of it is 0."""
    if bias.constant is not None and not bias.constant.any():
        return result
    column = g.reshape(bias_of(g, bias), (bias.shape[0], *(1,) * (result.rank - 2)))
    return result + column


def _dilate(g: Emitter, filter: Value, dilations: Sequence[int]) -> Ref:
    """A filter with zeros between its taps."""
    if all(d == 1 for d in dilations):
        return g.take(filter)
    if filter.constant is None:
        raise NoLowering("litert dilates constant filters of transposed convolutions only")
    taps = filter.constant.astype(np.float32)
    sizes = [(k - 1) * d + 1 for k, d in zip(taps.shape[2:], dilations, strict=True)]
    wide = np.zeros((*taps.shape[:2], *sizes), np.float32)
    steps = tuple(slice(None, None, d) for d in dilations)
    wide[(slice(None), slice(None), *steps)] = taps
    return g.constant(wide)


def _transpose_convolve(
    g: Emitter,
    x: Ref,
    weights: Ref,
    grown: Sequence[tuple[int, int]],
    strides: Sequence[int],
    out: Sequence[int],
) -> Ref:
    """[N, ..., I] with weights [I, O, ...]."""
    rank = len(strides)
    kernel, channels = numbers(weights.shape[2:]), weights.shape[1]
    cuts = [(-a, -b) for a, b in grown]
    is_same = all(a == (a + b) // 2 and b >= 0 for a, b in cuts)
    spatial = numbers(x.tensor.shape[1:-1])
    axes = zip(spatial, strides, kernel, strict=True)
    full = [(n - 1) * s + max(k, s if rank == 3 else k) for n, s, k in axes]
    fits = zip(spatial, strides, out, strict=True)
    is_same = is_same and all(n * s == m if rank == 3 else -(-m // s) == n for n, s, m in fits)
    sizes = list(out) if is_same else full
    beyond = [
        f - ((n - 1) * s + k) for f, n, s, k in zip(full, spatial, strides, kernel, strict=True)
    ]
    grown = [(a, b - e) for (a, b), e in zip(grown, beyond, strict=True)]
    fields = {"padding": windows.SAME if is_same else windows.VALID}
    fields |= windows.along("stride_{}", strides)
    order = channels_last(rank + 2)
    shape = (x.tensor.shape[0], *sizes, channels)
    taps = g.ordered(weights, (1, 2, 3, 0) if rank == 2 else (2, 3, 4, 1, 0))
    name = "TRANSPOSE_CONV" if rank == 2 else "CONV_3D_TRANSPOSE"
    operands = [g.sizes(shape), taps, x]
    result = g.one(name, operands, Precision.FLOAT32, shape, order, **fields)
    return result if is_same else windows.add_border(g, result, grown)


def _zero_stuffed(
    g: Emitter,
    x: Ref,
    weights: Ref,
    grown: Sequence[tuple[int, int]],
    strides: Sequence[int],
    group: int,
    out: Sequence[int],
) -> Ref:
    """A convolution in groups, with the taps the other way round."""
    taps = weights.constant
    if taps is None:
        raise NoLowering("litert has groups of transposed convolutions of constant filters only")
    n, h, w, c = numbers(x.tensor.shape)
    sh, sw = strides
    if sh > 1 or sw > 1:
        split = g.reshape(_as_plain(x), (n, h, 1, w, 1, c))
        amounts = np.zeros((6, 2), np.int32)
        amounts[2, 1], amounts[4, 1] = sh - 1, sw - 1
        wide = (n, h, sh, w, sw, c)
        stuffed = g.move("PAD", [split], wide, identity(6), g.constant(amounts))
        x = g.reshape(stuffed, (n, h * sh, w * sw, c)).stored(channels_last(4))
    kh, kw = taps.shape[2:]
    around = [
        (k - 1 + a, k - 1 + b - (s - 1))
        for k, (a, b), s in zip((kh, kw), grown, strides, strict=True)
    ]
    x = windows.add_border(g, x, around)
    per = taps.shape[1]
    grouped = taps.reshape(group, c // group, per, kh, kw)[..., ::-1, ::-1]
    turned = np.ascontiguousarray(grouped.transpose(0, 2, 1, 3, 4), np.float32)
    filters = g.constant(turned.reshape(group * per, c // group, kh, kw))
    shape = (n, *out, group * per)
    none = g.constant(np.zeros(group * per, np.float32))
    return convolve(g, x, filters, none, shape, windows.VALID, Window((1, 1)), group)


def _as_plain(x: Ref) -> Ref:
    """The tensor as it is stored."""
    return x.stored(identity(x.rank))
