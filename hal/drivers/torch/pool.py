"""Pooling over sliding windows and over adaptive bins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from nnir.dim import Dim, ceil_div, maximum, minimum
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool, windows
from nnir.types import Precision

from ...attributes import Ints, Window
from ...lowering import Lowerings
from .conv import Pairs, pad_spatial, pairs_of, symmetric, view_windows
from .dtypes import PLAIN
from .emitter import Emitter, Result, Results

table = Lowerings[Result]()
STANDARD = (pool.average_pool_2d, pool.max_pool_2d)
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

    def __init__(self, g: Emitter, input: Value, how: Window) -> None:
        self.how, self.kernel, self.ceil = how, how.kernel_shape, how.ceil_mode
        self.sizes = g.axes(input)[2:]
        self.extents, self.pairs = how.extents, pairs_of(how, self.sizes, how.extents)
        inside = g.operation.operator not in STANDARD
        axes = list(zip(self.sizes, self.extents, how.strides, self.pairs, strict=True))
        self.out = [_count(n, e, s, p, ceil=self.ceil, inside=inside) for n, e, s, p in axes]
        self.reach: Pairs = [
            (a, maximum((o - 1) * s + e - n - a, b) if self.ceil else b)
            for o, (n, e, s, (a, b)) in zip(self.out, axes, strict=True)
        ]

    @property
    def is_empty(self) -> bool:
        return 0 in self.out

    def nothing(self, g: Emitter, input: Value) -> Result:
        sizes = [*g.axes(input)[:2], *self.out]
        return g.raw(input).new_zeros([g.size(d) for d in sizes])


def _count(
    size: Dim, extent: int, stride: int, pair: tuple[Dim, Dim], *, ceil: bool, inside: bool
) -> Dim:
    count = windows.slid(size, extent, stride, pair, ceil=ceil)  # type: ignore[arg-type]
    return minimum(count, ceil_div(size + pair[0], stride)) if ceil and inside else count


def _sums(g: Emitter, x: Any, how: Windows, pairs: Pairs) -> Result:
    whole = pad_spatial(g, x, pairs)
    rank = len(how.kernel)
    if rank in AVERAGE and not how.how.is_dilated:
        return AVERAGE[rank](
            whole, list(how.kernel), list(how.how.strides), 0, False, True, divisor_override=1
        )
    view = view_windows(whole, how.extents, how.how)
    return view.sum(list(range(2 + rank, 2 + 2 * rank)))


def _counts(g: Emitter, x: Any, how: Windows, *, with_pads: bool) -> Result:
    """How many elements of each window count."""
    ones = x.new_ones([1, 1, *(g.size(n) for n in how.sizes)])
    if with_pads:
        ones = pad_spatial(g, ones, how.pairs, 1)
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


@table.lower(pool.average_pool_2d, pool.average_pool, how=Window)
def average_pool(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Result:
    lie = Windows(g, input, how)
    if lie.is_empty:
        return lie.nothing(g, input)
    x, border = g.of(input), _native_border(lie)
    is_standard = g.operation.operator in STANDARD
    if is_standard and border is not None and not lie.ceil:
        kernel, strides = list(how.kernel_shape), list(how.strides)
        result = functional.avg_pool2d(x, kernel, strides, border, False, count_include_pad)
    elif is_standard and count_include_pad:
        result = _sums(g, x, lie, lie.reach) / float(math.prod(how.kernel_shape))
    else:
        total = _sums(g, x, lie, lie.reach)
        result = total / _counts(g, x, lie, with_pads=count_include_pad)
    return g.back(result, input.precision)


def _lowest(input: Value) -> Any:
    return -torch.inf if input.is_float else int(np.iinfo(input.dtype).min)


def _maxima(g: Emitter, input: Value, how: Windows) -> Result:
    if input.precision == Precision.UINT64:
        raise NoLowering("torch pools no UINT64")
    rank, x = len(how.kernel), g.of(input)
    if input.precision == Precision.BOOL8:
        x = x.to(torch.float32)
    elif input.is_integer and input.dtype.itemsize == 8:
        view = view_windows(pad_spatial(g, x, how.reach, _lowest(input)), how.extents, how.how)
        return view.amax(list(range(2 + rank, 2 + 2 * rank)))
    elif input.is_integer:
        x = x.to(torch.float64)
    if rank not in MAXIMUM:
        raise NoLowering(f"torch has no max_pool over {rank} axes")
    border = _native_border(how)
    if border is None or how.ceil:
        x, border = pad_spatial(g, x, how.reach, -torch.inf), [0] * rank
    steps, dilated = list(how.how.strides), list(how.how.dilations)
    best = MAXIMUM[rank](x, list(how.kernel), steps, border, dilated)
    if input.is_float:
        return g.back(best, input.precision)
    whole = torch.clamp(best, min=0 if input.precision == Precision.BOOL8 else _lowest(input))
    return whole.to(PLAIN[input.precision])


def _with_places(g: Emitter, input: Value, how: Windows, kind: Precision) -> tuple[Any, Any]:
    """The first of the best elements of each window, and where it lies in its plane."""
    if input.precision in (Precision.UINT64, Precision.BOOL8):
        raise NoLowering(f"torch pools no {input.type}")
    rank, x = len(how.kernel), g.of(input)
    given = how.extents, how.how
    sizes = [g.size(n) for n in how.sizes]
    count = math.prod(sizes[1:], start=sizes[0])
    plane = g.call(torch.arange, count, dtype=torch.int64).reshape([1, 1, *sizes])
    places = view_windows(pad_spatial(g, plane, how.reach, -1), *given).flatten(2 + rank)
    values = view_windows(pad_spatial(g, x, how.reach, _lowest(input)), *given).flatten(2 + rank)
    best = values.amax(-1, keepdim=True)
    found = (values == best) | (values != values) if input.is_float else values == best
    found = found & (places >= 0)
    first = torch.argmax(found.to(torch.uint8), -1, keepdim=True)
    wide = places.expand(values.shape)
    at = torch.gather(wide, -1, first).squeeze(-1)
    at = torch.where(found.any(-1), at, -1)
    return g.back(best.squeeze(-1), input.precision), at.to(PLAIN[kind])


@table.lower(pool.max_pool_2d, pool.max_pool, implied=["return_indices_dtype"], how=Window)
def max_pool(g: Emitter, input: Value, *, return_indices: bool, how: Window) -> Result | Results:
    lie, kind = Windows(g, input, how), g.operation.outputs[-1].precision
    if lie.is_empty:
        nothing = lie.nothing(g, input)
        return (nothing, nothing.to(PLAIN[kind])) if return_indices else nothing
    if return_indices:
        return _with_places(g, input, lie, kind)
    return _maxima(g, input, lie)


@table.lower(pool.adaptive_average_pool_2d)
def adaptive_average_pool_2d(g: Emitter, input: Value, *, output_shape: Ints) -> Result:
    result = g.call(torch.ops.aten.adaptive_avg_pool2d.default, g.of(input), list(output_shape))
    return g.back(result, input.precision)


@table.lower(pool.adaptive_max_pool_2d, implied=["return_indices_dtype"])
def adaptive_max_pool_2d(
    g: Emitter, input: Value, *, output_shape: Ints, return_indices: bool
) -> Result | Results:
    if input.is_integer and input.dtype.itemsize == 8:
        raise NoLowering(f"torch has no adaptive_max_pool_2d of {input.type}")
    x = g.of(input) if input.is_float else g.of(input).to(torch.float64)
    both = g.call(torch.ops.aten.adaptive_max_pool2d.default, x, list(output_shape))
    best = g.back(both[0], input.precision)
    best = best if input.is_float else both[0].to(PLAIN[input.precision])
    kind = PLAIN[g.operation.outputs[-1].precision]
    return (best, both[1].to(kind)) if return_indices else best
