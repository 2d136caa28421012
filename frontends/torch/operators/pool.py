"""ATen pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import pool
from nnir.recipes.pool import unpool, with_batch
from nnir.types import Precision

from ...table import Table
from . import adaptive_pool, fractional_pool
from .windows import Window, check_results, window

table = Table.merge([adaptive_pool.table, fractional_pool.table])
Both = tuple[Value, Value]


def max_pooled(self: Value, how: Window, *, positions: bool) -> tuple[Value, ...]:
    """The maxima, and with `positions` where they are in their plane."""
    rank, found = how.rank, with_batch(self, how.rank)
    how = how.with_axis() if how.rank == 1 else how
    plain = how.plain(found.value) if how.rank == 2 else None
    if plain is not None:
        given: dict[str, Any] = {"return_indices": positions}
        given |= {"return_indices_dtype": int(Precision.INT64)} if positions else {}
        results = pool.max_pool_2d(found.value, **plain, **given)
    else:
        results = pool.max_pool(found.value, **how.general(), return_indices=positions)
    made = [found.restored(v) for v in (results if positions else (results,))]
    return check_results(self, made, rank)


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
        best = max_pooled(self, how, positions=False)
        return best[0], max_pooled(self, how, positions=True)[1]

    return convert


def average(self: Value, how: Window, *, include: bool, divisor: int | None) -> Value:
    """The mean, or with a `divisor` the sum over that."""
    if not self.is_float:
        raise Unsupported(f"an average pool of {self.type}")
    rank, found = how.rank, with_batch(self, how.rank)
    how = how.with_axis() if how.rank == 1 else how
    x, whole = found.value, divisor is not None
    plain = how.plain(x, clips=include and not whole)
    if plain is not None and how.rank == 2:
        result = pool.average_pool_2d(x, **plain, count_include_pad=include or whole)
    elif plain is not None:
        result = pool.average_pool(x, **plain, count_include_pad=include or whole)
    elif whole:
        raise Unsupported(f"an average pool with ceil_mode and a divisor of {self.type}")
    else:
        result = pool.average_pool(x, **how.general(), count_include_pad=include)
    (result,) = check_results(self, [found.restored(result)], rank)
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
