"""ATen pooling."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops.windows import has_empty
from nnir.recipes.pool import PoolWindow, pool_maxima, pool_means, unpool

from ...table import Table
from . import adaptive_pool, fractional_pool
from .windows import check_results, window

table = Table.merge([adaptive_pool.table, fractional_pool.table])
Both = tuple[Value, Value]


def max_pooled(self: Value, how: PoolWindow, *, positions: bool) -> tuple[Value, ...]:
    """The maxima, and with `positions` where they are in their plane."""
    return check_results(self, pool_maxima(self, how, positions=positions), how.rank)


def _max(rank: int) -> Callable[..., Value]:
    """max_pool1d, max_pool2d and max_pool3d differ in their defaults."""

    def convert(
        self: Value,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...] = (),
        padding: tuple[int, ...] = (0,) * rank,
        dilation: tuple[int, ...] = (1,) * rank,
        ceil_mode: bool = False,
    ) -> Value:
        how = window(rank, kernel_size, stride, padding, dilation, ceil_mode)
        return max_pooled(self, how, positions=False)[0]

    return convert


def _require_elements(x: Value, how: PoolWindow) -> None:
    """Unsupported where a window is known to hold no element: PyTorch's place lies outside."""
    axes = zip(x.shape[-how.rank :], how.kernel, how.strides, how.dilations, strict=True)
    for k, (size, kernel, stride, dilation) in enumerate(axes):
        before, after = how.pads[2 * k : 2 * k + 2]
        if isinstance(size, Expr):
            continue
        if has_empty(size, kernel, stride, dilation, (before, after), ceil=how.ceil):
            raise Unsupported(f"places in a pool of {x.type} whose windows may hold nothing")


def _max_with_indices(rank: int) -> Callable[..., Both]:
    """Values by a pool of their own: where nobody reads the positions, only that one is left."""

    def convert(
        self: Value,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...] = (),
        padding: tuple[int, ...] = (0,) * rank,
        dilation: tuple[int, ...] = (1,) * rank,
        ceil_mode: bool = False,
    ) -> Both:
        how = window(rank, kernel_size, stride, padding, dilation, ceil_mode)
        _require_elements(self, how)
        best = max_pooled(self, how, positions=False)
        return best[0], max_pooled(self, how, positions=True)[1]

    return convert


def average(self: Value, how: PoolWindow, *, include: bool, divisor: int | None) -> Value:
    """The mean, or with a `divisor` the sum over that."""
    if not self.is_float:
        raise Unsupported(f"an average pool of {self.type}")
    made = pool_means(self, how, include=include, whole=divisor is not None)
    (result,) = check_results(self, [made], how.rank)
    if divisor is None:
        return result
    if divisor == 0:
        raise BadType("an average pool with divisor_override=0")
    factor = np.array(math.prod(how.kernel) / divisor, result.dtype)
    return result * result.model.constant(factor)


@table.convert("aten.avg_pool1d.default")
def avg_pool1d(
    self: Value,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] = (),
    padding: tuple[int, ...] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Value:
    how = window(1, kernel_size, stride, padding, (1,), ceil_mode)
    return average(self, how, include=count_include_pad, divisor=None)


def _average(rank: int) -> Callable[..., Value]:
    def convert(
        self: Value,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...] = (),
        padding: tuple[int, ...] = (0,) * rank,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Value:
        how = window(rank, kernel_size, stride, padding, (1,), ceil_mode)
        return average(self, how, include=count_include_pad, divisor=divisor_override)

    return convert


for _rank in (1, 2, 3):
    table.convert(f"aten.max_pool{_rank}d.default")(_max(_rank))
    table.convert(f"aten.max_pool{_rank}d_with_indices.default")(_max_with_indices(_rank))
    if _rank > 1:
        table.convert(f"aten.avg_pool{_rank}d.default")(_average(_rank))


@table.convert("aten.max_unpool2d.default")
def max_unpool2d(self: Value, indices: Value, output_size: Index) -> Value:
    return unpool(self, indices, output_size, 2)


@table.convert("aten.max_unpool3d.default")
def max_unpool3d(
    self: Value,
    indices: Value,
    output_size: Index,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
) -> Value:
    """The indices say it all; stride and padding only check the size in PyTorch."""
    return unpool(self, indices, output_size, 3)
