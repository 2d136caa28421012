"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

from nnir.dim import Dim, ceil_div, maximum, product
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv, windows
from nnir.types import AutoPad, Fuse

from ...lowering import Lowerings
from .binary import require_signed
from .deformable import deformed
from .emitter import Emitter

table = Lowerings()
FORWARD: dict[int, Any] = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
TRANSPOSED: dict[int, Any] = {2: functional.conv_transpose2d, 3: functional.conv_transpose3d}
Pairs = Sequence[tuple[Dim, Dim]]


def same_pads(size: Dim, extent: Dim, stride: int) -> tuple[Dim, Dim]:
    """Padding that makes the result ceil(size / stride), the smaller half before."""
    total = maximum((ceil_div(size, stride) - 1) * stride + extent - size, 0)
    return total // 2, total - total // 2


def pairs_of(
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    sizes: Sequence[Dim],
    extents: Sequence[Dim],
    strides: Sequence[int],
) -> Pairs:
    """The padding before and after each spatial axis."""
    match auto_pad:
        case AutoPad.SAME:
            given = zip(sizes, extents, strides, strict=True)
            return [same_pads(n, e, s) for n, e, s in given]
        case AutoPad.VALID:
            return [(0, 0)] * len(sizes)
        case AutoPad.NONE:
            return windows.pair_pads(pads, len(sizes))
    raise NoLowering(f"torch has no padding {auto_pad!r}")


def padded(g: Emitter, x: Any, pairs: Pairs, value: Any = 0) -> Any:
    """A tensor with a border on its spatial axes; negative amounts crop."""
    if all(n == 0 for pair in pairs for n in pair):
        return x
    flat = [g.size(n) for pair in reversed(list(pairs)) for n in pair]
    return functional.pad(x, flat, value=value)


def symmetric(pairs: Pairs) -> list[int] | None:
    """One number for each axis where both sides are padded alike by a known amount."""
    alike = all(a == b and isinstance(a, int) and a >= 0 for a, b in pairs)
    return [int(a) for a, _ in pairs] if alike else None  # type: ignore[arg-type]  # known


def _shaped(bias: Any, rank: int) -> Any:
    return bias.reshape([-1, *[1] * rank])


@table.lower(conv.conv_2d, conv.conv_3d)
def conv_nd(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    fuse_code: Fuse,
) -> Any:
    require_signed(input, fuse_code)
    rank = len(strides)
    dilations = (1,) * rank if auto_pad == AutoPad.SAME else dilations
    kernel = [(k - 1) * d + 1 for k, d in zip(g.axes(filter)[2:], dilations, strict=True)]
    pairs = pairs_of(auto_pad, pads, g.axes(input)[2:], kernel, strides)
    if is_empty(input, filter, pairs, kernel, strides):
        return _nothing(g, input, filter, pairs, kernel, strides)
    given = (pairs, strides, group, dilations)
    x, w, b = g.of(input), g.of(filter), g.of(bias)
    if input.is_float:
        result = _convolved(g, x, w, b, *given)
    elif input.dtype.itemsize <= 2:  # products and sums are exact in float64
        x64, w64, b64 = (t.to(torch.float64) for t in (x, w, b))
        result = _convolved(g, x64, w64, b64, *given).to(torch.int64).to(x.dtype)
    else:
        result = _convolved_integers(g, input, filter, bias, *given)
    return g.back(g.fused(result, fuse_code), input.precision)


def _convolved(
    g: Emitter,
    x: Any,
    w: Any,
    b: Any,
    pairs: Pairs,
    strides: Sequence[int],
    group: int,
    dilations: Sequence[int],
) -> Any:
    border = symmetric(pairs)
    if border is None:
        x, border = padded(g, x, pairs), [0] * len(pairs)
    function = FORWARD[len(strides)]
    return function(x, w, b, list(strides), border, list(dilations), group)


def is_empty(
    input: Value, filter: Value, pairs: Pairs, kernel: Sequence[Dim], strides: Sequence[int]
) -> bool:
    """Whether the result surely has no elements, which torch refuses."""
    axes = zip(input.shape[2:], kernel, strides, pairs, strict=True)
    slid = [windows.slid(n, e, s, (a, b)) for n, e, s, (a, b) in axes]  # type: ignore[arg-type]
    return 0 in slid or 0 in (input.shape[0], filter.shape[0])


def _nothing(
    g: Emitter,
    input: Value,
    filter: Value,
    pairs: Pairs,
    kernel: Sequence[Dim],
    strides: Sequence[int],
) -> Any:
    axes = zip(g.axes(input)[2:], kernel, strides, pairs, strict=True)
    sizes = [windows.slid(n, e, s, (a, b)) for n, e, s, (a, b) in axes]  # type: ignore[arg-type]
    whole = [g.axes(input)[0], g.axes(filter)[0], *sizes]
    return g.raw(input).new_zeros([g.size(d) for d in whole])


def windowed(x: Any, extents: Sequence[Any], strides: Sequence[int], dilations: Any) -> Any:
    """A view [N, C, *windows, *kernel]."""
    rank = len(strides)
    for axis, (extent, stride) in enumerate(zip(extents, strides, strict=True)):
        x = x.unfold(2 + axis, extent, stride)
    steps = tuple(slice(None, None, d) for d in dilations)
    return x[(slice(None),) * (2 + rank) + steps] if max(dilations) > 1 else x


def _convolved_integers(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    pairs: Pairs,
    strides: Sequence[int],
    group: int,
    dilations: Sequence[int],
) -> Any:
    """As products of matrices of windows, which wrap as integers do."""
    rank, own = len(strides), g.axes(filter)
    extents = [(k - 1) * d + 1 for k, d in zip(own[2:], dilations, strict=True)]
    x = padded(g, g.of(input), pairs)
    view = windowed(x, [g.size(e) for e in extents], strides, dilations)
    lead = view.unflatten(1, [group, -1])  # [N, G, C / G, *windows, *kernel]
    order = [0, 1, *range(3, 3 + rank), 2, *range(3 + rank, 3 + 2 * rank)]
    rows = lead.permute(order).flatten(2 + rank)  # [N, G, *windows, C / G * kernel]
    weights = g.of(filter).flatten(1).unflatten(0, [group, -1])
    shaped = weights.transpose(1, 2).reshape(
        [group, *[1] * (rank - 1), g.size(product(own[1:])), g.size(own[0] // group)]
    )
    result = torch.matmul(rows, shaped)  # [N, G, *windows, O / G]
    result = result.permute([0, 1, 2 + rank, *range(2, 2 + rank)]).flatten(1, 2)
    return result + _shaped(g.of(bias), rank)


@table.lower(conv.conv_2d_transpose, conv.conv_3d_transpose)
def conv_nd_transpose(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
    fuse_code: Fuse,
) -> Any:
    rank, sizes = len(strides), g.axes(input)[2:]
    dilations = (1,) * rank if auto_pad == AutoPad.SAME else dilations
    kernel = [(k - 1) * d + 1 for k, d in zip(g.axes(filter)[2:], dilations, strict=True)]
    pairs = pairs_of(auto_pad, pads, sizes, kernel, strides)
    full = [(n - 1) * s + e for n, s, e in zip(sizes, strides, kernel, strict=True)]
    extra = output_padding or (0,) * rank
    out: Sequence[Dim] = output_shape or [
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
        result = function(x, w, b, list(strides), before, behind, group, list(dilations))
    else:
        result = function(x, w, None, list(strides), [0] * rank, [0] * rank, group, list(dilations))
        moved = zip(before, out, full, strict=True)
        result = padded(g, result, [(-a, a + o - f) for a, o, f in moved])
        result = result + _shaped(b, rank)
    return g.back(g.fused(result, fuse_code), input.precision)


@table.lower(conv.col_2_im)
def col_2_im(
    g: Emitter,
    input: Value,
    image_shape: Value,
    block_shape: Value,
    *,
    dilations: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Any:
    """torch folds two axes, with equal padding on both sides: more is folded and cut away."""
    image, block = g.sizes(image_shape), g.sizes(block_shape)
    rank = len(image)
    if rank not in (1, 2) or not input.is_float:
        raise NoLowering(f"torch folds floats over one or two axes, not {input.type} over {rank}")
    pairs = windows.pair_pads(pads, rank)
    sizes = [n + a + b for n, (a, b) in zip(image, pairs, strict=True)]
    ones: list[Any] = [1] * (2 - rank)
    steps, dilated = (list(n or (1,) * rank) for n in (strides, dilations))
    x = g.call(
        torch.ops.aten.col2im.default,
        g.of(input),
        ones + sizes,
        ones + block,
        ones + dilated,
        [0, 0],
        ones + steps,
    )
    x = x.squeeze(2) if ones else x
    return g.back(padded(g, x, [(-a, -b) for a, b in pairs]), input.precision)


@table.lower(conv.deformable_conv_2d)
def deformable_conv_2d(
    g: Emitter,
    input: Value,
    offset: Value,
    mask: Value,
    filter: Value,
    bias: Value,
    *,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    deformable_group: int,
    dilations: tuple[int, ...],
    fuse_code: Fuse,
) -> Any:
    operands = [g.of(v) for v in (input, offset, mask, filter)]
    starts = [before for before, _ in windows.pair_pads(pads, 2)]
    result = g.call(
        deformed, *operands, starts, list(strides), list(dilations), group, deformable_group
    )
    result = result + _shaped(g.of(bias), 2)
    return g.back(g.fused(result, fuse_code), input.precision)
