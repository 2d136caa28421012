"""Convolutions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.nn import functional

from nnir.dim import Dim, ceil_div, maximum, product
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv, windows

from ...attributes import Ints, Transposed, Window
from ...lowering import Lowerings
from .deformable import deform
from .emitter import Emitter, Result

table = Lowerings[Result]()
FORWARD: dict[int, Any] = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
TRANSPOSED: dict[int, Any] = {2: functional.conv_transpose2d, 3: functional.conv_transpose3d}
Pairs = Sequence[tuple[Dim, Dim]]


def same_pads(size: Dim, extent: Dim, stride: int) -> tuple[Dim, Dim]:
    """Padding that makes the result ceil(size / stride), the smaller half before."""
    total = maximum((ceil_div(size, stride) - 1) * stride + extent - size, 0)
    return total // 2, total - total // 2


def pairs_of(how: Window, sizes: Sequence[Dim], extents: Sequence[Dim]) -> Pairs:
    """The padding before and after each spatial axis."""
    if not how.is_same:
        return how.pairs
    given = zip(sizes, extents, how.strides, strict=True)
    return [same_pads(n, e, s) for n, e, s in given]


def pad_spatial(g: Emitter, x: Result, pairs: Pairs, value: float = 0) -> Result:
    """A tensor with a border on its spatial axes; negative amounts crop."""
    if all(n == 0 for pair in pairs for n in pair):
        return x
    flat = [g.size(n) for pair in reversed(list(pairs)) for n in pair]
    return functional.pad(x, flat, value=value)


def symmetric(pairs: Pairs) -> list[int] | None:
    """One number for each axis where both sides are padded alike by a known amount."""
    border = [abs(a) for a, _ in pairs if isinstance(a, int)]
    return border if [(a, a) for a in border] == list(pairs) else None


def _bias_column(bias: Result, rank: int) -> Any:
    return bias.reshape([-1, *[1] * rank])


@table.lower(conv.conv_2d, conv.conv_3d, how=Window)
def conv_nd(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    group: int,
    how: Window,
) -> Result:
    sizes, kernel = g.axes(input)[2:], extents_of(g, filter, how)
    pairs = pairs_of(how, sizes, kernel)
    axes = list(zip(kernel, how.strides, pairs, strict=True))
    if 0 in (input.shape[0], filter.shape[0], *_slid(input.shape[2:], axes)):
        whole = [g.axes(input)[0], g.axes(filter)[0], *_slid(sizes, axes)]
        return g.raw(input).new_zeros([g.size(d) for d in whole])
    x, w, b = g.of(input), g.of(filter), g.of(bias)
    if input.is_float:
        result = _convolve(g, x, w, b, pairs, group, how)
    elif input.dtype.itemsize <= 2:  # products and sums are exact in float64
        x64, w64, b64 = (t.to(torch.float64) for t in (x, w, b))
        sums = _convolve(g, x64, w64, b64, pairs, group, how)
        sums = torch.round(sums) if g.on_cuda else sums  # cuDNN may go through transforms
        result = sums.to(torch.int64).to(x.dtype)
    else:
        result = _convolved_integers(g, input, filter, bias, pairs, group, how)
    return g.back(result, input.precision)


def extents_of(g: Emitter, filter: Value, how: Window) -> list[Dim]:
    """How much a filter covers along each axis."""
    return [(k - 1) * d + 1 for k, d in zip(g.axes(filter)[2:], how.dilations, strict=True)]


def _slid(sizes: Sequence[Dim], axes: Sequence[tuple[Dim, int, tuple[Dim, Dim]]]) -> Iterator[Dim]:
    """How many windows there are; torch refuses none at all."""
    for n, (e, s, pair) in zip(sizes, axes, strict=True):
        yield windows.slid(n, e, s, pair)  # type: ignore[arg-type]


def _convolve(
    g: Emitter, x: Result, w: Result, b: Result, pairs: Pairs, group: int, how: Window
) -> Result:
    border = symmetric(pairs)
    if border is None:
        x, border = pad_spatial(g, x, pairs), [0] * len(pairs)
    function = FORWARD[how.rank]
    return function(x, w, b, list(how.strides), border, list(how.dilations), group)


def view_windows(x: Result, extents: Sequence[int], how: Window) -> Result:
    """A view [N, C, *windows, *kernel]."""
    for axis, (extent, stride) in enumerate(zip(extents, how.strides, strict=True)):
        x = x.unfold(2 + axis, extent, stride)
    steps = tuple(slice(None, None, d) for d in how.dilations)
    return x[(slice(None),) * (2 + how.rank) + steps] if how.is_dilated else x


def _convolved_integers(
    g: Emitter, input: Value, filter: Value, bias: Value, pairs: Pairs, group: int, how: Window
) -> Result:
    """As products of matrices of windows, which wrap as integers do."""
    rank, own = how.rank, g.axes(filter)
    x = pad_spatial(g, g.of(input), pairs)
    view = view_windows(x, [g.size(e) for e in extents_of(g, filter, how)], how)
    lead = view.unflatten(1, [group, -1])  # type: ignore[no-untyped-call]
    order = [0, 1, *range(3, 3 + rank), 2, *range(3 + rank, 3 + 2 * rank)]
    rows = lead.permute(order).flatten(2 + rank)  # [N, G, *windows, C / G * kernel]
    weights = g.of(filter).flatten(1).unflatten(0, [group, -1])  # type: ignore[no-untyped-call]
    shaped = weights.transpose(1, 2).reshape(
        [group, *[1] * (rank - 1), g.size(product(own[1:])), g.size(own[0] // group)]
    )
    result = g.multiply(rows, shaped, input.precision)  # [N, G, *windows, O / G]
    result = result.permute([0, 1, 2 + rank, *range(2, 2 + rank)]).flatten(1, 2)
    return result + _bias_column(g.of(bias), rank)


@table.lower(conv.conv_2d_transpose, conv.conv_3d_transpose, how=Transposed)
def conv_nd_transpose(
    g: Emitter, input: Value, filter: Value, bias: Value, *, group: int, how: Transposed
) -> Result:
    rank, sizes = how.rank, g.axes(input)[2:]
    strides, dilations = list(how.strides), list(how.dilations)
    kernel = extents_of(g, filter, how)
    pairs = pairs_of(how, sizes, kernel)
    full = [(n - 1) * s + e for n, s, e in zip(sizes, strides, kernel, strict=True)]
    extra = how.output_padding or (0,) * rank
    out: Sequence[Dim] = how.output_shape or [
        f + e - a - b for f, e, (a, b) in zip(full, extra, pairs, strict=True)
    ]
    before = [a for a, _ in pairs]
    # what torch adds behind, beside as much padding as in front
    behind = [o - f + 2 * a for o, f, a in zip(out, full, before, strict=True)]
    function, x, w, b = TRANSPOSED[rank], g.of(input), g.of(filter), g.of(bias)
    limits = [max(s, d) for s, d in zip(strides, dilations, strict=True)]
    if all(isinstance(n, int) and 0 <= n < k for n, k in zip(behind, limits, strict=True)) and all(
        isinstance(a, int) and a >= 0 for a in before
    ):
        result = function(x, w, b, strides, before, behind, group, dilations)
    else:
        result = function(x, w, None, strides, [0] * rank, [0] * rank, group, dilations)
        moved = zip(before, out, full, strict=True)
        result = pad_spatial(g, result, [(-a, a + o - f) for a, o, f in moved])
        result = result + _bias_column(b, rank)
    return g.back(result, input.precision)


@table.lower(conv.col_2_im)
def col_2_im(
    g: Emitter,
    input: Value,
    image_shape: Value,
    block_shape: Value,
    *,
    dilations: Ints | None,
    pads: Ints | None,
    strides: Ints | None,
) -> Result:
    """torch folds two axes, with equal padding on both sides: more is folded and cut away."""
    image, block = g.sizes(image_shape), g.sizes(block_shape)
    rank = len(image)
    if rank not in (1, 2) or not input.is_float:
        raise NoLowering(f"torch folds floats over one or two axes, not {input.type} over {rank}")
    pairs = windows.pair_pads(pads, rank)
    sizes = [n + a + b for n, (a, b) in zip(image, pairs, strict=True)]
    ones = [1] * (2 - rank)
    steps, dilated = (list(n or (1,) * rank) for n in (strides, dilations))
    two = ones + sizes, ones + block, ones + dilated, [0, 0], ones + steps
    x = g.call(torch.ops.aten.col2im.default, g.of(input), *two)
    x = x.squeeze(2) if ones else x
    return g.back(pad_spatial(g, x, [(-a, -b) for a, b in pairs]), input.precision)


@table.lower(conv.deformable_conv_2d, how=Window)
def deformable_conv_2d(
    g: Emitter,
    input: Value,
    offset: Value,
    mask: Value,
    filter: Value,
    bias: Value,
    *,
    group: int,
    deformable_group: int,
    how: Window,
) -> Result:
    operands = [g.of(v) for v in (input, offset, mask, filter)]
    starts = [before for before, _ in how.pairs]
    lists = starts, list(how.strides), list(how.dilations)
    result = g.call(deform, *operands, *lists, group, deformable_group)
    return g.back(result + _bias_column(g.of(bias), 2), input.precision)
