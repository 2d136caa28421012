"""ONNX ordering: the largest elements, unique elements."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import sort

from ...table import Table

table = Table()


@table.convert("TopK")
def top_k_1(x: Value, *, k: int, axis: int = -1) -> tuple[Value, Value]:
    return top_k_10(x, x.model.constant([k], np.int64), axis=axis)


@table.convert("TopK", since=10)
def top_k_10(x: Value, k: Value, *, axis: int = -1) -> tuple[Value, Value]:
    return top_k(x, k, axis=axis)


@table.convert("TopK", since=11)
def top_k(
    x: Value, k: Value, *, axis: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Value, Value]:
    made: tuple[Value, Value] = sort.top_k(x, k, axis=axis, largest=largest, sorted=sorted)
    return made


@table.convert("Unique", since=11)
def unique(x: Value, *, axis: int | None = None, sorted: bool = True) -> tuple[Value, ...]:
    made: tuple[Value, ...] = sort.unique(x, axis=axis, sorted=sorted)
    return made
