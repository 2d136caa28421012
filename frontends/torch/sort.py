"""ATen operators that order elements, or search among ordered ones."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, contents
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import compare, index, reduce, shape, sort, unary
from nnir.types import Precision

from ..table import Table
from . import histograms, uniques
from .index import flat
from .promotion import Operand, common, promoted_to

table = Table()


def ordered(
    x: Value, k: Value | list[build.Size], axis: int, *, largest: bool
) -> tuple[Value, Value]:
    """TOP_K, of bools too."""
    count = k if isinstance(k, Value) else build.vector(x.model, k)
    wide = x.cast(Precision.UINT8) if x.precision == Precision.BOOL8 else x
    values, places = sort.top_k(wide, count, axis=axis, largest=largest)
    return values.cast(x.precision), places


def sorted_along(x: Value, dim: int, *, descending: bool) -> tuple[Value, Value]:
    """All elements along an axis in order, equal ones as they were, and where they come from."""
    if not x.rank:
        return x, x.model.constant(np.int64(0))
    axis = axis_of(dim, x.rank)
    return ordered(x, [build.size_of(x, axis)], axis, largest=descending)


@table.convert("aten.sort.default")
def sort_(self: Value, dim: int = -1, descending: bool = False) -> tuple[Value, Value]:
    return sorted_along(self, dim, descending=descending)


@table.convert("aten.sort.stable")
def sort_stable(
    self: Value, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> tuple[Value, Value]:
    return sorted_along(self, dim, descending=descending)


@table.convert("aten.argsort.default")
def argsort(self: Value, dim: int = -1, descending: bool = False) -> Value:
    return sorted_along(self, dim, descending=descending)[1]


@table.convert("aten.argsort.stable")
def argsort_stable(self: Value, *, stable: bool, dim: int = -1, descending: bool = False) -> Value:
    return sorted_along(self, dim, descending=descending)[1]


@table.convert("aten.msort.default")
def msort(self: Value) -> Value:
    return sorted_along(self, 0, descending=False)[0]


@table.convert("aten.topk.default")
def topk(
    self: Value, k: Index, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Value, Value]:
    if self.rank:
        return ordered(self, k, axis_of(dim, self.rank), largest=largest)
    if contents(k) != (1,):
        raise BadType(f"topk of {self.type} with k={contents(k)}")
    return self, self.model.constant(np.int64(0))


@table.convert("aten.kthvalue.default")
def kthvalue(self: Value, k: Index, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """The last of the k smallest."""
    if not self.rank:
        return topk(self, k)
    axis = axis_of(dim, self.rank)
    found = ordered(self, k, axis, largest=False)
    last = self.model.constant(np.array([-1] if keepdim else -1, np.int64))
    values, places = (index.gather(v, last, axis=axis) for v in found)
    return values, places


def counted_below(
    line: Value, x: Value, *, right: bool, to_int32: bool, has_axes: bool = True
) -> Value:
    """How many of the sorted numbers of `line` each element of `x` comes behind.

    What is not at or above (`right`: not above) an element is in front of it, for NaN too.
    """
    row = line if not has_axes or line.rank == 1 else shape.unsqueeze(line, [line.rank - 1])
    above = (compare.greater if right else compare.greater_equal)(row, shape.unsqueeze(x, [x.rank]))
    kind = Precision.INT32 if to_int32 else Precision.INT64
    before = unary.cast(~above, dtype=kind)
    return reduce.reduce_sum(before, [-1], keepdim=False)


@table.convert("aten.bucketize.Tensor", "aten.bucketize.Scalar")
def bucketize(
    self: Operand, boundaries: Value, *, out_int32: bool = False, right: bool = False
) -> Value:
    if boundaries.rank != 1:
        raise BadType(f"bucketize with boundaries {boundaries.type}, not a vector")
    line, x = promoted_to(common(boundaries, self), boundaries, self)
    return counted_below(line, x, right=right, to_int32=out_int32)


@table.convert("aten.searchsorted.Tensor", "aten.searchsorted.Scalar")
def searchsorted(
    sorted_sequence: Value,
    self: Operand,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Value | None = None,
) -> Value:
    if side not in (None, "left", "right"):
        raise Unsupported(f"searchsorted with side={side!r}")
    line, x = promoted_to(common(sorted_sequence, self), sorted_sequence, self)
    if sorter is not None:
        line = index.gather_elements(line, sorter, axis=line.rank - 1)
    from_right = right or side == "right"
    return counted_below(line, x, right=from_right, to_int32=out_int32)


@table.convert("aten.isin.Tensor_Tensor")
def isin(
    elements: Value, test_elements: Value, *, assume_unique: bool = False, invert: bool = False
) -> Value:
    return among(elements, test_elements, invert=invert)


@table.convert("aten.isin.Tensor_Scalar")
def isin_number(
    elements: Value, test_element: Operand, *, assume_unique: bool = False, invert: bool = False
) -> Value:
    return among(elements, test_element, invert=invert)


@table.convert("aten.isin.Scalar_Tensor")
def number_isin(
    element: Operand, test_elements: Value, *, assume_unique: bool = False, invert: bool = False
) -> Value:
    return among(element, test_elements, invert=invert)


def among(elements: Operand, tests: Operand, *, invert: bool) -> Value:
    """Whether each element equals one of others."""
    x, others = promoted_to(common(elements, tests), elements, tests)
    if 0 in others.shape:
        size = build.vector(x.model, build.sizes_of(x))
        return shape.expand(x.model.constant(invert), size)
    if not others.rank:
        return (compare.not_equal if invert else compare.equal)(x, others)
    hits = compare.equal(shape.unsqueeze(x, [x.rank]), flat(others))
    wide = unary.cast(hits, dtype=Precision.UINT8)
    found = reduce.reduce_max(wide, [-1], keepdim=False).cast(Precision.BOOL8)
    return ~found if invert else found


table = Table.merge([table, histograms.table, uniques.table])
