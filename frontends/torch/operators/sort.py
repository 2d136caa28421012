"""ATen operators that order elements, or search among ordered ones."""

from __future__ import annotations

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import compare, index, reduce, shape, unary
from nnir.recipes import sort as sort_recipes
from nnir.recipes.promotion import Operand, common_precision, promote_to
from nnir.recipes.sort import search_sorted, sort_along, top_k_along
from nnir.types import Precision

from ...table import Table
from . import histograms, uniques

table = Table()


@table.convert("aten.sort.default")
def sort_(self: Value, dim: int = -1, descending: bool = False) -> tuple[Value, Value]:
    return sort_along(self, dim, descending=descending)


@table.convert("aten.sort.stable")
def sort_stable(
    self: Value, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> tuple[Value, Value]:
    return sort_along(self, dim, descending=descending)


@table.convert("aten.argsort.default")
def argsort(self: Value, dim: int = -1, descending: bool = False) -> Value:
    return sort_along(self, dim, descending=descending)[1]


@table.convert("aten.argsort.stable")
def argsort_stable(self: Value, *, stable: bool, dim: int = -1, descending: bool = False) -> Value:
    return sort_along(self, dim, descending=descending)[1]


@table.convert("aten.msort.default")
def msort(self: Value) -> Value:
    return sort_along(self, 0, descending=False)[0]


@table.convert("aten.topk.default")
def topk(
    self: Value, k: Index, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Value, Value]:
    return top_k_along(self, k, dim, largest, sorted)


@table.convert("aten.kthvalue.default")
def kthvalue(self: Value, k: Index, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    return sort_recipes.kthvalue(self, k, dim, keepdim)


@table.convert("aten.bucketize.Tensor", "aten.bucketize.Scalar")
def bucketize(
    self: Operand, boundaries: Value, *, out_int32: bool = False, right: bool = False
) -> Value:
    if boundaries.rank != 1:
        raise BadType(f"bucketize with boundaries {boundaries.type}, not a vector")
    line, x = promote_to(common_precision(boundaries, self), boundaries, self)
    return search_sorted(line, x, right=right, to_int32=out_int32)


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
    line, x = promote_to(common_precision(sorted_sequence, self), sorted_sequence, self)
    if sorter is not None:
        line = index.gather_elements(line, sorter, axis=line.rank - 1)
    from_right = right or side == "right"
    return search_sorted(line, x, right=from_right, to_int32=out_int32)


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
    x, others = promote_to(common_precision(elements, tests), elements, tests)
    if 0 in others.shape:
        size = build.vector(x.model, build.sizes_of(x))
        return shape.expand(x.model.constant(invert), size)
    if not others.rank:
        return (compare.not_equal if invert else compare.equal)(x, others)
    hits = compare.equal(shape.unsqueeze(x, [x.rank]), build.flatten(others))
    wide = unary.cast(hits, dtype=Precision.UINT8)
    found = reduce.reduce_max(wide, [-1], keepdim=False).cast(Precision.BOOL8)
    return ~found if invert else found


table = Table.merge([table, histograms.table, uniques.table])
