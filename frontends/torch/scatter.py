"""ATen operators that place elements by position or by a mask."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, contents, ints
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, reduce, shape, unary
from nnir.ops.reduce import highest, lowest
from nnir.types import Precision

from ..table import Gaps, Table
from . import advanced, segments
from .generate import like
from .index import flat, line, slice_, truth, within
from .promotion import Number, Operand, to
from .shape import common_sizes, expanded

table = Table()
ADD = {True: "add", False: "none"}


@table.convert(
    "aten.index_put.default",
    "aten.index_put.hacked_twin",
    "aten._unsafe_index_put.default",
    "aten._unsafe_index_put.hacked_twin",
)
def index_put(self: Value, indices: Gaps, values: Value, accumulate: bool = False) -> Value:
    given = [(k, v) for k, v in enumerate(indices) if v is not None]
    if len(given) == 1 and not accumulate:
        (axis, mask), *_ = given
        one = all(d == 1 for d in values.shape)
        if mask.precision in advanced.MASKS and mask.rank and one:
            behind = self.rank - axis - mask.rank
            wide = shape.unsqueeze(truth(mask), [mask.rank] * behind) if behind else truth(mask)
            single = shape.reshape(values, []) if values.rank else values
            return compare.where(wide, single, self)
    return advanced.placed(self, indices, values, ADD[accumulate])


@table.convert("aten._unsafe_masked_index_put_accumulate.default")
def masked_index_put(self: Value, mask: Value, indices: Gaps, values: Value) -> Value:
    kept = compare.where(truth(mask), values, 0)
    return advanced.placed(self, within(self, indices), kept, "add")


def rows_placed(x: Value, dim: int, where: Value, source: Value, reduction: str = "none") -> Value:
    """Whole slices of `source` at the positions `where` of an axis."""
    if not x.rank:
        one = shape.reshape(x, [1])
        updates = shape.reshape(source, [-1])
        return shape.reshape(rows_placed(one, 0, line(where), updates, reduction), [])
    axis = axis_of(dim, x.rank)
    spots = line(where) if where.rank == 0 else where
    updates = source if source.rank else shape.reshape(source, [1])
    if axis == 0:
        column = shape.unsqueeze(spots, [1])
        return index.scatter_nd(x, column, updates, reduction=reduction)
    wide = shape.unsqueeze(spots, [1] * (x.rank - 1 - axis)) if axis < x.rank - 1 else spots
    return index.scatter_elements(
        x, expanded(wide, build.shape_of(updates)), updates, axis=axis, reduction=reduction
    )


@table.convert("aten.index_add.default")
def index_add(self: Value, dim: int, index: Value, source: Value, *, alpha: Number = 1) -> Value:
    scaled = source.cast(self.precision)
    if self.precision == Precision.BOOL8 and not alpha:
        scaled = like(scaled, False, None)
    elif alpha != 1 and self.precision != Precision.BOOL8:
        scaled = scaled * to(alpha, self.precision, self.model)
    return rows_placed(self, dim, index, scaled, "add")


@table.convert("aten.index_copy.default")
def index_copy(self: Value, dim: int, index: Value, source: Value) -> Value:
    return rows_placed(self, dim, index, source)


@table.convert("aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor")
def index_fill(self: Value, dim: int, index: Value, value: Operand) -> Value:
    """A mask of the positions, then a choice."""
    element = to(value, self.precision, self.model)
    if not self.rank:
        return compare.where(_hit(self, 0, index), element, self)
    axis = axis_of(dim, self.rank)
    mask = _hit(self, axis, index)
    behind = self.rank - 1 - axis
    return compare.where(shape.unsqueeze(mask, [1] * behind) if behind else mask, element, self)


def _hit(x: Value, axis: int, where: Value) -> Value:
    """Which places of an axis are among positions."""
    spots = shape.unsqueeze(line(where) if where.rank == 0 else where, [1])
    size = [build.size_of(x, axis)] if x.rank else [1]
    false, true = (x.model.constant(b) for b in (False, True))
    none = generate.fill(build.vector(x.model, size), false)
    ones = generate.fill(build.vector(x.model, [build.size_of(spots, 0)]), true)
    mask: Value = index.scatter_nd(none, spots, ones)
    return mask if x.rank else shape.reshape(mask, [])


@table.convert("aten.scatter.src")
def scatter(self: Value, dim: int, index: Value, src: Value) -> Value:
    return scattered(self, dim, index, src, "none")


@table.convert("aten.scatter.value")
def scatter_value(self: Value, dim: int, index: Value, value: Number) -> Value:
    return scattered(self, dim, index, like(index, value, self.precision), "none")


@table.convert("aten.scatter.reduce")
def scatter_reduce_old(self: Value, dim: int, index: Value, src: Value, *, reduce: str) -> Value:
    return scattered(self, dim, index, src, _reduction(reduce))


@table.convert("aten.scatter.value_reduce")
def scatter_value_reduce(
    self: Value, dim: int, index: Value, value: Number, *, reduce: str
) -> Value:
    filled = like(index, value, self.precision)
    return scattered(self, dim, index, filled, _reduction(reduce))


def _reduction(reduce: str) -> str:
    match reduce:
        case "add":
            return "add"
        case "multiply":
            return "mul"
    raise Unsupported(f"scatter with reduce={reduce!r}")


@table.convert("aten.scatter_add.default")
def scatter_add(self: Value, dim: int, index: Value, src: Value) -> Value:
    return scattered(self, dim, index, src, "add")


def scattered(x: Value, dim: int, where: Value, src: Value, reduction: str) -> Value:
    """SCATTER_ELEMENTS; of `src` counts what `where` has positions for."""
    if not x.rank:
        one = [v if v.rank else shape.reshape(v, [1]) for v in (x, where, src)]
        return shape.reshape(scattered(one[0], 0, one[1], one[2], reduction), [])
    where = where if where.rank else shape.reshape(where, [1])
    src = src if src.rank else shape.reshape(src, [1])
    if 0 in where.shape:
        return x
    if not where.rank == src.rank == x.rank:
        raise BadType(f"a scatter of {src.type} into {x.type} at {where.type}")
    axis = axis_of(dim, x.rank)
    return index.scatter_elements(x, where, _cut(src, where), axis=axis, reduction=reduction)


def _cut(src: Value, where: Value) -> Value:
    pairs = zip(src.shape, where.shape, strict=True)
    axes = [k for k, (a, b) in enumerate(pairs) if a != b]
    if not axes:
        return src
    ends = build.vector(src.model, [build.size_of(where, k) for k in axes])
    return index.slice_(src, axes, [0] * len(axes), ends)


@table.convert("aten.scatter_reduce.two")
def scatter_reduce(
    self: Value, dim: int, index: Value, src: Value, reduce: str, *, include_self: bool = True
) -> Value:
    def place(x: Value, updates: Value, reduction: str) -> Value:
        return scattered(x, dim, index, updates, reduction)

    return _reduced(self, src, reduce, place, include_self=include_self)


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
        return rows_placed(x, dim, index, updates, reduction)

    return _reduced(self, source, reduce, place, include_self=include_self)


REDUCTIONS = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}


def _neutral(reduction: str, dtype: np.dtype) -> Number:
    """What changes nothing that it is combined with."""
    if reduction in ("add", "mul"):
        return int(reduction == "mul")
    limit = lowest(dtype) if reduction == "max" else highest(dtype)
    number: Number = np.asarray(limit).astype(dtype).item()
    return number


def _reduced(
    x: Value, src: Value, reduce: str, place: segments.Place, *, include_self: bool
) -> Value:
    if reduce not in REDUCTIONS:
        raise Unsupported(f"a scatter with reduce={reduce!r}")
    reduction = REDUCTIONS[reduce]
    base = x
    if not include_self:
        base = place(x, like(src, _neutral(reduction, x.dtype), x.precision), "none")
    total = place(base, src, reduction)
    if reduce != "mean":
        return total
    kind = x.precision
    count = place(like(x, int(include_self), kind), like(src, 1, kind), "add")
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
        whole = build.vector(self.model, [size_of_axis(self, axis)])
        place = compare.where(index < 0, index + whole, index)
        mask = compare.equal(build.arange_along(self, axis), place)
    behind = self.rank - 1 - axis
    wide = shape.unsqueeze(mask, [1] * behind) if behind else mask
    return compare.where(wide, shape.unsqueeze(src, [axis]), self)


def size_of_axis(x: Value, axis: int) -> build.Size:
    return build.size_of(x, axis)


@table.convert("aten.slice_scatter.default")
def slice_scatter(
    self: Value,
    src: Value,
    dim: int = 0,
    start: Index | None = None,
    end: Index | None = None,
    step: Index | int = 1,
) -> Value:
    """What is before, the new part, and what is behind; with a step, each row at its place."""
    axis = axis_of(dim, self.rank)
    size = self.shape[axis]
    first = (0,) if start is None else ints(start)
    last = (np.iinfo(np.int64).max,) if end is None else ints(end)
    by = step if isinstance(step, int) else (ints(step) or (None,))[0]
    if by is None:
        raise NotConstant("slice_scatter with a step that is only known while running")
    if isinstance(size, int) and first is not None and last is not None:
        begin, stop, _ = slice(int(first[0]), int(last[0]), by).indices(size)
        if stop <= begin:
            return self
        new = _part_of(self, src, axis, len(range(begin, stop, by)))
        if by != 1:
            where = self.model.constant(np.arange(begin, stop, by))
            return rows_placed(self, axis, where, new)
        parts = [_between(self, axis, 0, begin), new, _between(self, axis, stop, size)]
        kept = [p for p in parts if p is not None]
        return shape.concat(*kept, axis=axis) if len(kept) > 1 else kept[0]
    where = slice_(build.arange_along(self, axis), 0, start, end, by)
    if isinstance(src.shape[axis], Expr) or src.shape[axis] != 1:
        steps = build.vector(self.model, [build.size_of(src, axis)])
        where = build.reshape(where, [steps]) if contents(steps) != where.shape else where
    return rows_placed(self, axis, where, src)


def _part_of(x: Value, src: Value, axis: int, count: int) -> Value:
    """`src` broadcast to a part of `x`."""
    parts = build.sizes_of(x)
    parts[axis] = count
    return expanded(src, build.vector(x.model, parts))


def _between(x: Value, axis: int, start: int, end: int) -> Value | None:
    if start >= end:
        return None
    part: Value = index.slice_(x, [axis], [start], [end])
    return part


@table.convert("aten.masked_scatter.default")
def masked_scatter(self: Value, mask: Value, source: Value) -> Value:
    """The first true place takes the first element of `source`, and so on."""
    if mask.precision != Precision.BOOL8:
        raise BadType(f"masked_scatter with the mask {mask.type}")
    size = common_sizes(self, mask)
    x, where = expanded(self, size), expanded(mask, size)
    if 0 in source.shape:
        return x
    rank = reduce.cum_sum(unary.cast(flat(where), dtype=Precision.INT64), [0])
    elements = flat(source)
    last = build.vector(x.model, [build.minus(build.size_of(elements, 0), 1)])
    place = binary.max_(binary.min_(rank - 1, last), 0)
    chosen = build.reshape(index.gather(elements, place, axis=0), build.sizes_of(x))
    return compare.where(where, chosen, x)


@table.convert("aten.put.default")
def put(self: Value, index: Value, source: Value, accumulate: bool = False) -> Value:
    where, updates = flat(index), flat(source)
    line_of = flat(self)
    placed = rows_placed(line_of, 0, where, updates, ADD[accumulate])
    return placed if self.rank == 1 else build.reshape(placed, build.sizes_of(self))


@table.convert("aten.fill.Scalar")
def fill(self: Value, value: Number) -> Value:
    return like(self, value, None)


@table.convert("aten.fill.Tensor")
def fill_tensor(self: Value, value: Value) -> Value:
    if value.rank:
        raise BadType(f"fill with {value.type}, not one element")
    return like(self, value, None)


@table.convert("aten.zero.default")
def zero(self: Value) -> Value:
    return like(self, 0, None)


table = Table.merge([table, segments.table])
