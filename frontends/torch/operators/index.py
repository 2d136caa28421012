"""ATen operators that select elements by position or by a mask."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, contents, ints
from nnir.dim import Dim
from nnir.errors import BadType, NotConstant
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, reduce, shape, unary
from nnir.recipes import index as index_recipes
from nnir.recipes.index import (
    END,
    as_vector,
    gather_along,
    slice_axis,
    where_positions,
)
from nnir.recipes.promotion import Number, category, to_value
from nnir.recipes.shape import common_sizes, expand_to
from nnir.types import Precision

from ...table import Gaps, Items, Table
from . import advanced, bags

table = Table()


@table.convert("aten.select.int")
def select(self: Value, dim: int, index: Index) -> Value:
    return index_recipes.take(self, index, axis_of(dim, self.rank))


@table.convert("aten.slice.Tensor")
def slice_(
    self: Value,
    dim: int = 0,
    start: Index | None = None,
    end: Index | None = None,
    step: Index | int = 1,
) -> Value:
    return slice_axis(self, dim, start, end, step)


@table.convert("aten.narrow.default", "aten.narrow.Tensor")
def narrow(self: Value, dim: int, start: Index, length: Index) -> Value:
    """`length` elements from `start`, which may count from the end."""
    axis = axis_of(dim, self.rank)
    known, count = contents(start), contents(length)
    _require_inside(self.shape[axis], known, count)
    if known is None and count is not None and isinstance(count[0], int):
        return _window(self, axis, start, count[0])
    first = as_vector(start)
    if known is not None and isinstance(known[0], int) and known[0] < 0:
        whole = build.plus(build.size_of(self, axis), known[0])
        first = build.vector(self.model, [whole])
    last = _sum(first, as_vector(length))
    if contents(first) == (0,) and contents(last) == (self.shape[axis],):
        return self
    return index.slice_(self, [axis], first, last)


def _require_inside(size: Dim, start: Sequence[Dim] | None, length: Sequence[Dim] | None) -> None:
    """BadType where a part surely is not one of an axis; a slice would be cut to what there is."""
    first, count = (v[0] if v is not None and isinstance(v[0], int) else 0 for v in (start, length))
    if isinstance(size, int):
        first += size if first < 0 else 0
        if not 0 <= first <= size - count:
            raise BadType(f"narrow of an axis of {size} to {count} elements from {first}")
    if count < 0:
        raise BadType(f"narrow to {count} elements")


def _sum(a: Value, b: Value) -> Value:
    if a.known is not None and b.known is not None:
        return a.model.constant(a.known + b.known)
    return a + b


def _window(x: Value, axis: int, start: Value, count: int) -> Value:
    """So many elements from a place that is only known while running."""
    first = as_vector(start.cast(Precision.INT64))
    size = build.vector(x.model, [build.size_of(x, axis)])
    first = compare.where(first < 0, first + size, first)
    return index_recipes.take(x, first + np.arange(count), axis)


@table.convert("aten.index_select.default")
def index_select(self: Value, dim: int, index: Value) -> Value:
    if not self.rank:
        return self
    where = index if index.rank else shape.reshape(index, [1])
    return index_recipes.take(self, where, axis_of(dim, self.rank))


@table.convert("aten.gather.default")
def gather(self: Value, dim: int, index: Value, *, sparse_grad: bool = False) -> Value:
    return gather_along(self, dim, index)


@table.convert("aten.take.default")
def take(self: Value, index: Value) -> Value:
    return index_recipes.take(build.flatten(self), index, 0)


@table.convert("aten.take_along_dim.default")
def take_along_dim(self: Value, indices: Value, dim: int | None = None) -> Value:
    """GATHER_ELEMENTS after both are broadcast on the other axes."""
    if dim is None:
        return index.gather_elements(build.flatten(self), build.flatten(indices), axis=0)
    axis = axis_of(dim, self.rank)
    own, theirs = (_but(v, axis) for v in (self, indices))
    if own.shape == theirs.shape:
        return index.gather_elements(self, indices, axis=axis)
    size = common_sizes(own, theirs)
    parts = [index.slice_(size, [0], [0], [axis]), index.slice_(size, [0], [axis + 1], [END])]
    values = []
    for value in (self, indices):
        middle = build.vector(value.model, [build.size_of(value, axis)])
        values.append(expand_to(value, shape.concat(parts[0], middle, parts[1], axis=0)))
    return index.gather_elements(*values, axis=axis)


def _but(x: Value, axis: int) -> Value:
    """`x` with one element along an axis: its other sizes are what matters."""
    return index.slice_(x, [axis], [0], [1])


@table.convert("aten.embedding.default")
def embedding(
    weight: Value,
    indices: Value,
    padding_idx: Index | int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Value:
    return index_recipes.take(weight, indices, 0)


@table.convert("aten.one_hot.default")
def one_hot(self: Value, num_classes: int | Value = -1) -> Value:
    if isinstance(num_classes, Value):
        classes = generate.range_([0], shape.reshape(num_classes, [1]), [1])
    elif num_classes == -1:
        most = reduce.reduce_max(build.flatten(self), [0], keepdim=True)
        classes = generate.range_([0], most + 1, [1])
    else:
        classes = self.model.constant(build.arange(num_classes))
    hits = compare.equal(shape.unsqueeze(self, [self.rank]), classes)
    return unary.cast(hits, dtype=Precision.INT64)


@table.convert("aten.masked_select.default")
def masked_select(self: Value, mask: Value) -> Value:
    return index_recipes.masked_select(self, mask)


@table.convert("aten.masked_fill.Scalar")
def masked_fill(self: Value, mask: Value, value: Number) -> Value:
    return compare.where(
        mask.cast(Precision.BOOL8), to_value(value, self.precision, self.model), self
    )


@table.convert("aten.masked_fill.Tensor")
def masked_fill_tensor(self: Value, mask: Value, value: Value) -> Value:
    if value.rank or category(value.precision) == 3 > category(self.precision):
        raise BadType(f"masked_fill of {self.type} with {value.type}")
    return compare.where(mask.cast(Precision.BOOL8), value.cast(self.precision), self)


@table.convert("aten.nonzero.default", "aten.argwhere.default")
def nonzero(self: Value) -> Value:
    return index_recipes.nonzero(self)


@table.convert("aten.nonzero_numpy.default")
def nonzero_numpy(self: Value) -> list[Value]:
    return index_recipes.nonzero_numpy(self)


table.convert("aten.where.default")(where_positions)


@table.convert("aten.nonzero_static.default")
def nonzero_static(self: Value, *, size: Index, fill_value: int = -1) -> Value:
    """The first `size` positions, and `fill_value` where there are fewer."""
    count = ints(size)
    if count is None:
        raise NotConstant("nonzero_static of a size that is only known while running")
    if not 0 <= count[0] <= build.LARGEST_CONSTANT:
        raise BadType(f"nonzero_static of {count[0]} positions")
    rest = self.model.constant(np.full((count[0], self.rank), fill_value, np.int64))
    return index.slice_(shape.concat(nonzero(self), rest, axis=0), [0], [0], [count[0]])


@table.convert("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index_tensor(self: Value, indices: Gaps) -> Value:
    return advanced.index_elements(self, indices)


@table.convert("aten.index.Tensor_hacked_twin", "aten._unsafe_index.Tensor_hacked_twin")
def index_each(self: Value, indices: Items) -> Value:
    return advanced.index_elements(self, indices)


@table.convert("aten._unsafe_masked_index.default")
def masked_index(self: Value, mask: Value, indices: Gaps, fill: Number) -> Value:
    """Positions outside an axis only count where the mask is false."""
    if 0 in self.shape:
        size = common_sizes(*(v for v in indices if v is not None))
        return generate.fill(size, to_value(fill, self.precision, self.model))
    found = advanced.index_elements(self, within(self, indices))
    return compare.where(
        mask.cast(Precision.BOOL8), found, to_value(fill, self.precision, self.model)
    )


def within(x: Value, indices: Sequence[Value | None]) -> Gaps:
    """Positions moved into their axes."""
    clipped: list[Value | None] = []
    for axis, where in enumerate(indices):
        if where is None:
            clipped.append(None)
            continue
        last = build.vector(x.model, [build.minus(build.size_of(x, axis), 1)])
        least = build.vector(x.model, [build.minus(0, build.size_of(x, axis))])
        bounds = (shape.reshape(v, []).cast(where.precision) for v in (last, least))
        high, low = bounds
        clipped.append(binary.max_(binary.min_(where, high), low))
    return Gaps(clipped)


table = Table.merge([table, bags.table])
