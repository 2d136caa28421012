"""TensorFlow's distinct elements, in order of first occurrence."""

from __future__ import annotations

from nnir.model import Value
from nnir.recipes.uniques import distinct_elements
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("Unique")
def unique(x: Value, *, out_idx: Precision = Precision.INT32) -> tuple[Value, Value]:
    return distinct_elements(x, (), out_idx)[:2]


@table.convert("UniqueV2")
def unique_v2(
    x: Value, axis: tuple[int, ...], *, out_idx: Precision = Precision.INT32
) -> tuple[Value, Value]:
    return distinct_elements(x, axis, out_idx)[:2]


@table.convert("UniqueWithCounts")
def unique_with_counts(
    x: Value, *, out_idx: Precision = Precision.INT32
) -> tuple[Value, Value, Value]:
    return distinct_elements(x, (), out_idx)


@table.convert("UniqueWithCountsV2")
def unique_with_counts_v2(
    x: Value, axis: tuple[int, ...], *, out_idx: Precision = Precision.INT32
) -> tuple[Value, Value, Value]:
    return distinct_elements(x, axis, out_idx)
