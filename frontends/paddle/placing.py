"""Paddle's operators that place elements by position or by a mask."""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import binary, index, shape

from ..table import Items, Table
from ..torch import scatter
from ..torch.generate import like
from ..torch.scatter import rows_placed, scattered

table = Table()
REDUCTIONS = {
    "add": "add",
    "mul": "mul",
    "multiply": "mul",
    "amax": "max",
    "amin": "min",
    "mean": "add",
}


@table.convert("put_along_axis", "put_along_axis_")
def put_along_axis(
    arr: Value,
    indices: Value,
    values: Value,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
) -> Value:
    """Without the element itself only the values count where there are some."""
    if reduce == "assign":
        return scattered(arr, axis, indices, values, "none")
    if reduce not in REDUCTIONS:
        raise Unsupported(f"put_along_axis with reduce={reduce!r}")
    reduction = REDUCTIONS[reduce]
    base = arr
    if not include_self:
        empty = like(values, scatter._neutral(reduction, arr.dtype), arr.precision)
        base = scattered(arr, axis, indices, empty, "none")
    total = scattered(base, axis, indices, values, reduction)
    if reduce != "mean":
        return total
    ones = like(values, 1, arr.precision)
    count = scattered(like(arr, int(include_self), arr.precision), axis, indices, ones, "add")
    return total / binary.max_(count, 1)


@table.convert("scatter", "scatter_")
def scatter_(x: Value, index: Value, updates: Value, overwrite: bool = True) -> Value:
    """Rows are replaced; without `overwrite` those for one place are added up."""
    places = index if index.rank == 1 else shape.reshape(index, [-1])
    rows = updates if index.rank else shape.unsqueeze(updates, [0])
    if overwrite:
        return rows_placed(x, 0, places, rows)
    emptied = rows_placed(x, 0, places, like(rows, 0, None))
    return rows_placed(emptied, 0, places, rows, "add")


@table.convert("scatter_nd_add")
def scatter_nd_add(x: Value, index: Value, updates: Value) -> Value:
    return added(x, index, updates)


def added(x: Value, places: Value, updates: Value) -> Value:
    found: Value = index.scatter_nd(x, places, updates, reduction="add")
    return found


@table.convert("index_add", "index_add_")
def index_add(x: Value, index: Value, add_value: Value, axis: int = 0) -> Value:
    return rows_placed(x, axis, index, add_value, "add")


@table.convert("index_put", "index_put_")
def index_put(x: Value, indices: Items, value: Value, accumulate: bool = False) -> Value:
    return scatter.index_put(x, indices, value, accumulate)
