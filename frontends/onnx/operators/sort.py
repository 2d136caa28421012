"""ONNX ordering: the largest elements, unique elements."""

from __future__ import annotations

from nnir.model import Index, Value
from nnir.ops import sort

from ...table import REQUIRED, Pair, Table

table = Table()
table.same({"Unique": sort.unique}, since=11)


@table.convert("TopK", since=10)
@table.convert("TopK", attributes={"k": REQUIRED}, largest=True, sorted=True)
def top_k(x: Value, k: Index, *, axis: int = -1, largest: bool = True, sorted: bool = True) -> Pair:
    made: Pair = sort.top_k(x, k, axis=axis, largest=largest, sorted=sorted)
    return made
