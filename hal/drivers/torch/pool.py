"""Pooling over sliding windows and over adaptive bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from nnir.dim import Dim, ceil_div, maximum, minimum
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool, windows
from nnir.types import AutoPad, Fuse, Precision

from ...lowering import Lowerings
from .conv import Pairs, padded, pairs_of, symmetric, windowed
from .dtypes import PLAIN
from .emitter import Emitter

table = Lowerings()
AVERAGE: dict[int, Any] = {2: functional.avg_pool2d, 3: functional.avg_pool3d}
MAXIMUM: dict[int, Any] = {
    1: functional.max_pool1d,
    2: functional.max_pool2d,
    3: functional.max_pool3d,
}


class Windows:
    """Where windows lie: how much each covers, the padding, and how many there are.

    `reach` is the padding with which every window, also an overhanging one, lies in the data.
    """

    def __init__(
        self,
        g: Emitter,
        input: Value,
        kernel: Sequence[int],
        strides: Sequence[int],
        dilations: Sequence[int],
        pairs: Pairs,
        *,
        ceil: bool,
        inside: bool,
    ) -> None:
        self.kernel, self.strides, self.dilations = kernel, strides, dilations
        self.pairs, self.ceil = pairs, ceil
        self.sizes = g.axes(input)[2:]
        self.extents = windows.extents(kernel, dilations)
        axes = zip(self.sizes, self.extents, strides, pairs, strict=True)
        self.out = [_count(n, e, s, p, ceil=ceil, inside=inside) for n, e, s, p in axes]
        spans = zip(self.out, self.extents, strides, self.sizes, pairs, strict=True)
        self.reach: Pairs = [
            (a, maximum((o - 1) * s + e - n - a, b) if ceil else b) for o, e, s, n, (a, b) in spans
        ]

    @property
    def is_empty(self) -> bool:
        return 0 in self.out

    def nothing(self, g: Emitter, input: Value) -> Any:
        sizes = [*g.axes(input)[:2], *self.out]
        return g.raw(input).new_zeros([g.size(d) for d in sizes])


def _count(
    size: Dim, extent: int, stride: int, pair: tuple[Dim, Dim], *, ceil: bool, inside: bool
) -> Dim:
    count = windows.slid(size, extent, stride, pair, ceil=ceil)  # type: ignore[arg-type]
    return minimum(count, ceil_div(size + pair[0], stride)) if ceil and inside else count


def _of_2d(
    g: Emitter,
    input: Value,
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    kernel: Sequence[int],
    strides: Sequence[int],
    ceil: bool,
) -> Windows:
    pairs = pairs_of(auto_pad, pads, g.axes(input)[2:], kernel, strides)
    ceil = ceil and auto_pad != AutoPad.SAME
    return Windows(g, input, kernel, strides, (1, 1), pairs, ceil=ceil, inside=False)


def _of_any(
    g: Emitter,
    input: Value,
    kernel: Sequence[int],
    strides: Sequence[int] | None,
    pads: Sequence[int] | None,
    dilations: Sequence[int] | None,
    ceil: bool,
) -> Windows:
    ones = (1,) * len(kernel)
    pairs = windows.pair_pads(pads, len(kernel))
    return Windows(
        g, input, kernel, strides or ones, dilations or ones, pairs, ceil=ceil, inside=True
    )


def _sums(g: Emitter, x: Any, how: Windows, pairs: Pairs) -> Any:
    whole = padded(g, x, pairs)
    rank = len(how.kernel)
    if rank in AVERAGE and max(how.dilations) == 1:
        return AVERAGE[rank](
            whole, list(how.kernel), list(how.strides), 0, False, True, divisor_override=1
        )
    view = windowed(whole, how.extents, how.strides, how.dilations)
    return view.sum(list(range(2 + rank, 2 + 2 * rank)))


def _counts(g: Emitter, x: Any, how: Windows, *, with_pads: bool) -> Any:
    """How many elements of each window count."""
    ones = x.new_ones([1, 1, *(g.size(n) for n in how.sizes)])
    if with_pads:
        ones = padded(g, ones, how.pairs, 1)
        reach = zip(how.reach, how.pairs, strict=True)
        rest = [(0, after - behind) for (_, after), (_, behind) in reach]
        return _sums(g, ones, how, rest).clamp(min=1)
    return _sums(g, ones, how, how.reach).clamp(min=1)


def _native_border(how: Windows) -> list[int] | None:
    """Padding that torch's own pools take: up to half of the kernel."""
    border = symmetric(how.pairs)
    if border is None or any(2 * p > k for p, k in zip(border, how.kernel, strict=True)):
        return None
    return border


@table.lower(pool.average_pool_2d)
def average_pool_2d(
    g: Emitter,
    input: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    count_include_pad: bool,
    fuse_code: Fuse,
) -> Any:
    how = _of_2d(g, input, auto_pad, pads, kernel_shape, strides, ceil_mode)
    if how.is_empty:
        return how.nothing(g, input)
    x, border = g.of(input), _native_border(how)
    if border is not None and not how.ceil:
        result = functional.avg_pool2d(
            x, list(kernel_shape), list(strides), border, False, count_include_pad
        )
    elif count_include_pad:
        result = _sums(g, x, how, how.reach) / float(kernel_shape[0] * kernel_shape[1])
    else:
        result = _sums(g, x, how, how.reach) / _counts(g, x, how, with_pads=False)
    return g.back(g.fused(result, fuse_code), input.precision)


@table.lower(pool.average_pool)
def average_pool(
    g: Emitter,
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Any:
    how = _of_any(g, input, kernel_shape, strides, pads, dilations, ceil_mode)
    if how.is_empty:
        return how.nothing(g, input)
    x = g.of(input)
    counts = _counts(g, x, how, with_pads=count_include_pad)
    return g.back(_sums(g, x, how, how.reach) / counts, input.precision)


def _lowest(input: Value) -> Any:
    return -torch.inf if input.is_float else int(np.iinfo(input.dtype).min)


def _maxima(g: Emitter, input: Value, how: Windows) -> Any:
    if input.precision == Precision.UINT64:
        raise NoLowering("torch pools no UINT64")
    rank, x = len(how.kernel), g.of(input)
    if input.precision == Precision.BOOL8:
        x = x.to(torch.float32)
    elif input.is_integer and input.dtype.itemsize > 4:
        view = windowed(
            padded(g, x, how.reach, _lowest(input)), how.extents, how.strides, how.dilations
        )
        return view.amax(list(range(2 + rank, 2 + 2 * rank)))
    elif input.is_integer:
        x = x.to(torch.float64)
    if rank not in MAXIMUM:
        raise NoLowering(f"torch has no max_pool over {rank} axes")
    border = _native_border(how)
    if border is None or how.ceil:
        x, border = padded(g, x, how.reach, -torch.inf), [0] * rank
    given = [list(how.kernel), list(how.strides), border, list(how.dilations)]
    best = MAXIMUM[rank](x, *given)
    if input.is_float:
        return g.back(best, input.precision)
    whole = torch.clamp(best, min=0 if input.precision == Precision.BOOL8 else _lowest(input))
    return whole.to(PLAIN[input.precision])


def _with_places(g: Emitter, input: Value, how: Windows, kind: Precision) -> tuple[Any, Any]:
    """The first of the best elements of each window, and where it lies in its plane."""
    if input.precision in (Precision.UINT64, Precision.BOOL8):
        raise NoLowering(f"torch pools no {input.type}")
    rank, x = len(how.kernel), g.of(input)
    given = (how.extents, how.strides, how.dilations)
    sizes = [g.size(n) for n in how.sizes]
    count = sizes[0]
    for size in sizes[1:]:
        count = count * size
    plane = g.call(torch.arange, count, dtype=torch.int64).reshape([1, 1, *sizes])
    places = windowed(padded(g, plane, how.reach, -1), *given).flatten(2 + rank)
    values = windowed(padded(g, x, how.reach, _lowest(input)), *given).flatten(2 + rank)
    best = values.amax(-1, keepdim=True)
    found = (values == best) | (values != values) if input.is_float else values == best
    found = found & (places >= 0)
    first = torch.argmax(found.to(torch.uint8), -1, keepdim=True)
    wide = places.expand(values.shape)
    at = torch.gather(wide, -1, first).squeeze(-1)
    at = torch.where(found.any(-1), at, -1)
    return g.back(best.squeeze(-1), input.precision), at.to(PLAIN[kind])


@table.lower(pool.max_pool_2d)
def max_pool_2d(
    g: Emitter,
    input: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    return_indices: bool,
    return_indices_dtype: int,
    fuse_code: Fuse,
) -> Any:
    how = _of_2d(g, input, auto_pad, pads, kernel_shape, strides, ceil_mode)
    kind = Precision(return_indices_dtype)
    if how.is_empty:
        nothing = how.nothing(g, input)
        return (nothing, nothing.to(PLAIN[kind])) if return_indices else nothing
    if not return_indices:
        return g.fused(_maxima(g, input, how), fuse_code)
    best, places = _with_places(g, input, how, kind)
    return g.fused(best, fuse_code), places


@table.lower(pool.max_pool)
def max_pool(
    g: Emitter,
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    how = _of_any(g, input, kernel_shape, strides, pads, dilations, ceil_mode)
    if how.is_empty:
        nothing = how.nothing(g, input)
        return (nothing, nothing.to(torch.int64)) if return_indices else nothing
    if return_indices:
        return _with_places(g, input, how, Precision.INT64)
    return _maxima(g, input, how)


@table.lower(pool.adaptive_average_pool_2d)
def adaptive_average_pool_2d(g: Emitter, input: Value, *, output_shape: tuple[int, ...]) -> Any:
    result = g.call(torch.ops.aten.adaptive_avg_pool2d.default, g.of(input), list(output_shape))
    return g.back(result, input.precision)


@table.lower(pool.adaptive_max_pool_2d)
def adaptive_max_pool_2d(
    g: Emitter,
    input: Value,
    *,
    output_shape: tuple[int, ...],
    return_indices: bool,
    return_indices_dtype: int,
) -> Any:
    if input.is_integer and input.dtype.itemsize > 4:
        raise NoLowering(f"torch has no adaptive_max_pool_2d of {input.type}")
    x = g.of(input) if input.is_float else g.of(input).to(torch.float64)
    both = g.call(torch.ops.aten.adaptive_max_pool2d.default, x, list(output_shape))
    best = g.back(both[0], input.precision)
    best = best if input.is_float else both[0].to(PLAIN[input.precision])
    return (best, both[1].to(PLAIN[Precision(return_indices_dtype)])) if return_indices else best


@table.lower(pool.max_unpool)
def max_unpool(
    g: Emitter,
    input: Value,
    indices: Value,
    output_shape: Value | None,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
) -> Any:
    own, steps = g.axes(input), strides or (1,) * len(kernel_shape)
    axes = zip(
        own[2:], steps, kernel_shape, windows.pair_pads(pads, len(kernel_shape)), strict=True
    )
    sizes = [g.size(d) for d in (*own[:2], *(windows.transposed_size(*a, 0) for a in axes))]
    count = sizes[0]
    for size in sizes[1:]:
        count = count * size
    flat = g.bits(input).reshape(-1)
    result = torch.scatter(flat.new_zeros([count]), 0, g.index(indices).reshape(-1), flat)
    result = result.reshape(sizes)
    if output_shape is not None:
        wanted = g.sizes(output_shape)
        behind = [n for a, b in zip(wanted[::-1], sizes[::-1], strict=True) for n in (0, a - b)]
        result = functional.pad(result, behind)
    return g.unbits(result, input.precision)
