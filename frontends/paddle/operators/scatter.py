"""Paddle's operators that place elements by position or by a mask."""

from __future__ import annotations

from nnir.broadcast import axis_of, shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import binary, index, shape
from nnir.recipes import index as index_recipes
from nnir.recipes.generate import full_like
from nnir.recipes.index import neutral_of, place_rows, scatter_along
from nnir.types import Precision

from ...table import Items, Table
from .numbers import require_positions

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
    reduce: str,
    include_self: bool,
) -> Value:
    """Without the element itself only the values count where there are some."""
    require_positions("put_along_axis", indices)
    if reduce == "assign":
        return scatter_along(arr, axis, indices, values, "none")
    if reduce not in REDUCTIONS:
        raise Unsupported(f"put_along_axis with reduce={reduce!r}")
    reduction = REDUCTIONS[reduce]
    base = arr
    if not include_self:
        empty = full_like(values, neutral_of(reduction, arr.dtype), arr.precision)
        base = scatter_along(arr, axis, indices, empty, "none")
    total = scatter_along(base, axis, indices, values, reduction)
    if reduce != "mean":
        return total
    ones = full_like(values, 1, arr.precision)
    count = scatter_along(
        full_like(arr, int(include_self), arr.precision), axis, indices, ones, "add"
    )
    return total / binary.max_(count, 1)


@table.convert("scatter", "scatter_")
def scatter_(x: Value, index: Value, updates: Value, overwrite: bool) -> Value:
    """Rows are replaced; without `overwrite` those for one place are added up."""
    places = index if index.rank == 1 else shape.reshape(index, [-1])
    rows = updates if index.rank else shape.unsqueeze(updates, [0])
    if overwrite:
        return place_rows(x, 0, places, rows)
    emptied = place_rows(x, 0, places, full_like(rows, 0, None))
    return place_rows(emptied, 0, places, rows, "add")


def scatter_add(x: Value, places: Value, updates: Value) -> Value:
    return index.scatter_nd(x, places, updates, reduction="add")


table.named({"scatter_nd_add": (scatter_add, "x index updates")})


@table.convert("index_add", "index_add_")
def index_add(x: Value, index: Value, add_value: Value, axis: int) -> Value:
    place = axis_of(axis, add_value.rank)
    if shapes_differ(index.shape, add_value.shape[place : place + 1]):
        raise BadType(f"index_add of {add_value.type} at {index.type} along axis {axis}")
    return place_rows(x, axis, index, add_value, "add")


@table.convert("index_put", "index_put_")
def index_put(x: Value, indices: Items, value: Value, accumulate: bool) -> Value:
    place = 0
    for where in indices:
        if where.precision == Precision.BOOL8:
            if shapes_differ(where.shape, x.shape[place : place + where.rank]):
                raise BadType(f"index_put of {x.type} with a mask {where.type}")
            place += where.rank
        else:
            place += 1
    return index_recipes.index_put(x, indices, value, accumulate)
