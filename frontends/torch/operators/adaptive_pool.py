"""ATen pooling into a given number of bins."""

from __future__ import annotations

from collections.abc import Callable

from nnir.model import Value
from nnir.recipes.pool import adaptive_average_pool, adaptive_max_pool, bins_of

from ...table import Table

table = Table()


def _average(rank: int) -> Callable[..., Value]:
    def convert(self: Value, output_size: tuple[int, ...]) -> Value:
        return adaptive_average_pool(self, bins_of(output_size, rank))

    return convert


for _rank in (1, 2, 3):
    table.convert(f"aten.adaptive_avg_pool{_rank}d.default")(_average(_rank))
    if _rank > 1:
        table.convert(f"aten._adaptive_avg_pool{_rank}d.default")(_average(_rank))


def _max(rank: int) -> Callable[..., tuple[Value, Value]]:
    def convert(self: Value, output_size: tuple[int, ...]) -> tuple[Value, Value]:
        return adaptive_max_pool(self, bins_of(output_size, rank))

    return convert


for _rank in (1, 2, 3):
    table.convert(f"aten.adaptive_max_pool{_rank}d.default")(_max(_rank))
