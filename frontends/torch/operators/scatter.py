"""ATen operators that place elements by position or by a mask."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, ints
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, reduce, shape, unary
from nnir.recipes import index as index_recipes
from nnir.recipes.generate import full_like
from nnir.recipes.index import (
    ADD,
    as_vector,
    neutral_of,
    place_rows,
    put_at,
    scatter_along,
)
from nnir.recipes.promotion import Number, Operand, to_value
from nnir.recipes.shape import common_sizes, expand_to
from nnir.types import Precision

from ...table import Gaps, Table
from . import segments
from .index import within

table = Table()


@table.convert(
    "aten.index_put.default",
    "aten.index_put.hacked_twin",
    "aten._unsafe_index_put.default",
    "aten._unsafe_index_put.hacked_twin",
)
def index_put(self: Value, indices: Gaps, values: Value, accumulate: bool = False) -> Value:
    return index_recipes.index_put(self, indices, values, accumulate)


@table.convert("aten._unsafe_masked_index_put_accumulate.default")
def masked_index_put(self: Value, mask: Value, indices: Gaps, values: Value) -> Value:
    kept = compare.where(mask.cast(Precision.BOOL8), values, 0)
    return put_at(self, within(self, indices), kept, "add")


@table.convert("aten.index_add.default")
def index_add(self: Value, dim: int, index: Value, source: Value, *, alpha: Number = 1) -> Value:
    scaled = source.cast(self.precision)
    if self.precision == Precision.BOOL8 and not alpha:
        scaled = full_like(scaled, False, None)
    elif alpha != 1 and self.precision != Precision.BOOL8:
        scaled = scaled * to_value(alpha, self.precision, self.model)
    return place_rows(self, dim, index, scaled, "add")


@table.convert("aten.index_copy.default")
def index_copy(self: Value, dim: int, index: Value, source: Value) -> Value:
    return place_rows(self, dim, index, source)


@table.convert("aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor")
def index_fill(self: Value, dim: int, index: Value, value: Operand) -> Value:
    """A mask of the positions, then a choice."""
    element = to_value(value, self.precision, self.model)
    if not self.rank:
        return compare.where(_hit(self, 0, index), element, self)
    axis = axis_of(dim, self.rank)
    mask = _hit(self, axis, index)
    behind = self.rank - 1 - axis
    return compare.where(shape.unsqueeze(mask, [1] * behind) if behind else mask, element, self)


def _hit(x: Value, axis: int, where: Value) -> Value:
    """Which places of an axis are among positions."""
    spots = shape.unsqueeze(as_vector(where) if where.rank == 0 else where, [1])
    size = [build.size_of(x, axis)] if x.rank else [1]
    false, true = (x.model.constant(b) for b in (False, True))
    none = generate.fill(build.vector(x.model, size), false)
    ones = generate.fill(build.vector(x.model, [build.size_of(spots, 0)]), true)
    mask: Value = index.scatter_nd(none, spots, ones)
    return mask if x.rank else shape.reshape(mask, [])


@table.convert("aten.scatter.src")
def scatter(self: Value, dim: int, index: Value, src: Value) -> Value:
    return scatter_along(self, dim, index, src, "none")


@table.convert("aten.scatter.value")
def scatter_value(self: Value, dim: int, index: Value, value: Number) -> Value:
    return scatter_along(self, dim, index, full_like(index, value, self.precision), "none")


@table.convert("aten.scatter.reduce")
def scatter_reduce_old(self: Value, dim: int, index: Value, src: Value, *, reduce: str) -> Value:
    return scatter_along(self, dim, index, src, _reduction(reduce))


@table.convert("aten.scatter.value_reduce")
def scatter_value_reduce(
    self: Value, dim: int, index: Value, value: Number, *, reduce: str
) -> Value:
    filled = full_like(index, value, self.precision)
    return scatter_along(self, dim, index, filled, _reduction(reduce))


def _reduction(reduce: str) -> str:
    match reduce:
        case "add":
            return "add"
        case "multiply":
            return "mul"
    raise Unsupported(f"scatter with reduce={reduce!r}")


@table.convert("aten.scatter_add.default")
def scatter_add(self: Value, dim: int, index: Value, src: Value) -> Value:
    return scatter_along(self, dim, index, src, "add")


@table.convert("aten.scatter_reduce.two")
def scatter_reduce(
    self: Value, dim: int, index: Value, src: Value, reduce: str, *, include_self: bool = True
) -> Value:
    def place(x: Value, updates: Value, reduction: str) -> Value:
        return scatter_along(x, dim, index, updates, reduction)

    return _reduce_updates(self, src, reduce, place, include_self=include_self)


@table.convert("aten.index_reduce.default")
def index_reduce(
    self: Value,
    dim: int,
    index: Value,
    source: Value,
    reduce: str,
    *,
    include_self: bool = True,
) -> Value:
    def place(x: Value, updates: Value, reduction: str) -> Value:
        return place_rows(x, dim, index, updates, reduction)

    return _reduce_updates(self, source, reduce, place, include_self=include_self)


REDUCTIONS = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}


def _reduce_updates(
    x: Value, src: Value, reduce: str, place: segments.Place, *, include_self: bool
) -> Value:
    if reduce not in REDUCTIONS:
        raise Unsupported(f"a scatter with reduce={reduce!r}")
    reduction = REDUCTIONS[reduce]
    base = x
    if not include_self:
        base = place(x, full_like(src, neutral_of(reduction, x.dtype), x.precision), "none")
    total = place(base, src, reduction)
    if reduce != "mean":
        return total
    kind = x.precision
    count = place(full_like(x, int(include_self), kind), full_like(src, 1, kind), "add")
    count = binary.max_(count, 1)
    return (binary.div if x.is_float else binary.floor_div)(total, count)


@table.convert("aten.select_scatter.default")
def select_scatter(self: Value, src: Value, dim: int, index: Index) -> Value:
    axis = axis_of(dim, self.rank)
    known, size = ints(index), self.shape[axis]
    if known is not None and isinstance(size, int):
        if size == 1:
            return shape.unsqueeze(src, [axis])
        mask = self.model.constant(np.arange(size) == known[0] % size)
    else:
        whole = build.vector(self.model, [build.size_of(self, axis)])
        place = compare.where(index < 0, index + whole, index)
        mask = compare.equal(build.arange_along(self, axis), place)
    behind = self.rank - 1 - axis
    wide = shape.unsqueeze(mask, [1] * behind) if behind else mask
    return compare.where(wide, shape.unsqueeze(src, [axis]), self)


@table.convert("aten.slice_scatter.default")
def slice_scatter(
    self: Value,
    src: Value,
    dim: int = 0,
    start: Index | None = None,
    end: Index | None = None,
    step: Index | int = 1,
) -> Value:
    return index_recipes.slice_scatter(self, src, dim, start, end, step)


@table.convert("aten.masked_scatter.default")
def masked_scatter(self: Value, mask: Value, source: Value) -> Value:
    """The first true place takes the first element of `source`, and so on."""
    if mask.precision != Precision.BOOL8:
        raise BadType(f"masked_scatter with the mask {mask.type}")
    size = common_sizes(self, mask)
    x, where = expand_to(self, size), expand_to(mask, size)
    if 0 in source.shape:
        return x
    rank = reduce.cum_sum(unary.cast(build.flatten(where), dtype=Precision.INT64), [0])
    elements = build.flatten(source)
    last = build.vector(x.model, [build.minus(build.size_of(elements, 0), 1)])
    if not elements.is_static:  # where there are none, what no place takes is still read
        elements = shape.pad(elements, [0, 1])
    place = binary.max_(binary.min_(rank - 1, last), 0)
    chosen = build.reshape(index.gather(elements, place, axis=0), build.sizes_of(x))
    return compare.where(where, chosen, x)


@table.convert("aten.put.default")
def put(self: Value, index: Value, source: Value, accumulate: bool = False) -> Value:
    where, updates = build.flatten(index), build.flatten(source)
    line_of = build.flatten(self)
    placed = place_rows(line_of, 0, where, updates, ADD[accumulate])
    return placed if self.rank == 1 else build.reshape(placed, build.sizes_of(self))


@table.convert("aten.fill.Scalar")
def fill(self: Value, value: Number) -> Value:
    return full_like(self, value, None)


@table.convert("aten.fill.Tensor")
def fill_tensor(self: Value, value: Value) -> Value:
    if value.rank:
        raise BadType(f"fill with {value.type}, not one element")
    return full_like(self, value, None)


@table.convert("aten.zero.default")
def zero(self: Value) -> Value:
    return full_like(self, 0, None)


table = Table.merge([table, segments.table])
