"""ATen norms of matrices and what is made of singular values; products of vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axes_of, axis_of
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import index, linalg, reduce, shape
from nnir.recipes import linalg as linalg_recipes
from nnir.recipes.distance import vector_norm
from nnir.recipes.linalg import inverse, pseudo_inverse, relative_tolerance
from nnir.recipes.promotion import Number, category
from nnir.types import Precision

from ...table import Table
from .diagonal import diagonal

table = Table()


def restore_axes(result: Value, rank: int, dims: Sequence[int], keepdim: bool) -> Value:
    """Both axes of the matrices as ones, where they shall stay."""
    return shape.unsqueeze(result, sorted(axes_of(dims, rank))) if keepdim else result


def to_the_end(x: Value, dims: Sequence[int]) -> Value:
    """The matrices in the last two axes."""
    axes = axes_of(dims, x.rank)
    perm = (*(a for a in range(x.rank) if a not in axes), *axes)
    return x if perm == tuple(range(x.rank)) else shape.transpose(x, perm=perm)


def matrix_normed(
    x: Value, order: Number | str, dims: Sequence[int], *, keepdim: bool, dtype: Precision | None
) -> Value:
    """The norm of matrices that `order` names."""
    if len(dims) != 2:
        raise BadType(f"a norm of matrices over the axes {tuple(dims)}")
    x = x if dtype is None else x.cast(dtype)
    if order == "fro":
        return vector_norm(x, 2.0, tuple(dims), keepdim)
    rank, a = x.rank, to_the_end(x, dims)
    match order:
        case "nuc":
            result = reduce.reduce_sum(linalg.singular_values(a), [-1], keepdim=False)
        case 2 | -2:
            reduction = reduce.reduce_max if order == 2 else reduce.reduce_min
            result = reduction(linalg.singular_values(a), [-1], keepdim=False)
        case int() | float() if abs(order) in (1, math.inf):
            along = -2 if abs(order) == 1 else -1
            lines = reduce.reduce_sum(abs(a), [along], keepdim=False)
            reduction = reduce.reduce_max if order > 0 else reduce.reduce_min
            result = reduction(lines, [-1], keepdim=False)
        case _:
            raise Unsupported(f"a norm of matrices of order {order!r}")
    return restore_axes(result, rank, dims, keepdim)


@table.convert("aten.linalg_matrix_norm.default")
def matrix_norm(
    self: Value,
    ord: Number,
    dim: tuple[int, ...] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Precision | None = None,
) -> Value:
    return matrix_normed(self, ord, dim, keepdim=keepdim, dtype=dtype)


@table.convert("aten.linalg_matrix_norm.str_ord")
def matrix_norm_named(
    self: Value,
    ord: str = "fro",
    dim: tuple[int, ...] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Precision | None = None,
) -> Value:
    return matrix_normed(self, ord, dim, keepdim=keepdim, dtype=dtype)


@table.convert("aten.linalg_norm.default")
def linalg_norm(
    self: Value,
    ord: Number | None = None,
    dim: tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: Precision | None = None,
) -> Value:
    """Of matrices where there are two axes and an order, else of vectors."""
    axes = tuple(range(self.rank)) if dim is None else dim
    if ord is not None and len(axes) == 2:
        return matrix_normed(self, ord, axes, keepdim=keepdim, dtype=dtype)
    x = self if dtype is None else self.cast(dtype)
    if isinstance(ord, complex):
        raise Unsupported(f"a norm of order {ord!r}")
    return vector_norm(x, 2.0 if ord is None else float(ord), axes or None, keepdim)


@table.convert("aten.linalg_norm.ord_str")
def linalg_norm_named(
    self: Value,
    ord: str,
    dim: tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: Precision | None = None,
) -> Value:
    axes = tuple(range(self.rank)) if dim is None else dim
    return matrix_normed(self, ord, axes, keepdim=keepdim, dtype=dtype)


@table.convert("aten.nuclear_norm.default")
def nuclear_norm(self: Value, keepdim: bool = False) -> Value:
    return matrix_normed(self, "nuc", (-2, -1), keepdim=keepdim, dtype=None)


@table.convert("aten.nuclear_norm.dim")
def nuclear_norm_dim(self: Value, dim: tuple[int, ...], keepdim: bool = False) -> Value:
    return matrix_normed(self, "nuc", dim, keepdim=keepdim, dtype=None)


@table.convert("aten.linalg_cond.default")
def cond(self: Value, p: Number | None = None) -> Value:
    """The ratio of the singular values at both ends, else the norms of A and its inverse."""
    if p in (None, 2, -2):
        values = linalg.singular_values(self)
        large = reduce.reduce_max(values, [-1], keepdim=False)
        small = reduce.reduce_min(values, [-1], keepdim=False)
        return small / large if p == -2 else large / small
    return _condition(self, p if p is not None else 2)


@table.convert("aten.linalg_cond.p_str")
def cond_named(self: Value, p: str) -> Value:
    return _condition(self, p)


def _condition(a: Value, order: Number | str) -> Value:
    mine, theirs = (
        matrix_normed(x, order, (-2, -1), keepdim=False, dtype=None) for x in (a, inverse(a))
    )
    return mine * theirs


@table.convert("aten.linalg_matrix_rank.atol_rtol_tensor")
def matrix_rank_tensor(
    input: Value, *, atol: Value | None = None, rtol: Value | None = None, hermitian: bool = False
) -> Value:
    return linalg_recipes.matrix_rank(input, atol, relative_tolerance(input, atol, rtol), hermitian)


@table.convert("aten.linalg_matrix_rank.atol_rtol_float")
def matrix_rank_float(
    self: Value, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False
) -> Value:
    return linalg_recipes.matrix_rank(self, atol, rtol, hermitian)


@table.convert("aten.linalg_matrix_rank.default")
def matrix_rank(self: Value, tol: float, hermitian: bool = False) -> Value:
    return linalg_recipes.matrix_rank(self, tol, 0.0, hermitian)


@table.convert("aten.linalg_matrix_rank.tol_tensor")
def matrix_rank_tol(input: Value, tol: Value, hermitian: bool = False) -> Value:
    return linalg_recipes.matrix_rank(input, tol, 0.0, hermitian)


@table.convert("aten.linalg_pinv.atol_rtol_tensor")
def pinv_tensor(
    self: Value, *, atol: Value | None = None, rtol: Value | None = None, hermitian: bool = False
) -> Value:
    for bound in (atol, rtol):
        if bound is not None and bound.rank > self.rank - 2:
            raise BadType(f"pinv of {self.type} with a tolerance {bound.type}: more axes")
    return pseudo_inverse(self, atol, relative_tolerance(self, atol, rtol), hermitian)


@table.convert("aten.linalg_pinv.atol_rtol_float")
def pinv_float(
    self: Value, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False
) -> Value:
    return pseudo_inverse(self, atol, rtol, hermitian)


@table.convert("aten.linalg_pinv.default")
def pinv(self: Value, rcond: float, hermitian: bool = False) -> Value:
    return pseudo_inverse(self, None, rcond, hermitian)


@table.convert("aten.linalg_pinv.rcond_tensor")
def pinv_rcond(self: Value, rcond: Value, hermitian: bool = False) -> Value:
    return pseudo_inverse(self, None, rcond, hermitian)


@table.convert("aten.pinverse.default")
def pinverse(self: Value, rcond: float = 1e-15) -> Value:
    return pseudo_inverse(self, None, rcond, hermitian=False)


@table.convert("aten.linalg_cross.default")
def linalg_cross(self: Value, other: Value, *, dim: int = -1) -> Value:
    if self.rank != other.rank:
        raise BadType(f"linalg_cross of {self.type} and {other.type}")
    axis = axis_of(dim, self.rank)
    if any(x.shape[axis] != 3 for x in (self, other)):
        raise BadType(f"a cross product of {self.type} and {other.type} along axis {axis}")
    return linalg_recipes.cross(self, other, axis)


@table.convert("aten.cross.default")
def cross(self: Value, other: Value, dim: int | None = None) -> Value:
    """Without `dim` along the first axis of 3."""
    if dim is None:
        found = [axis for axis, size in enumerate(self.shape) if size == 3]
        if not found:
            raise BadType(f"a cross product of {self.type}")
        dim = found[0]
    return linalg_cross(self, other, dim=dim)


@table.convert("aten.linalg_diagonal.default")
def linalg_diagonal(
    A: Value,  # noqa: N803  the names are those of ATen
    *,
    offset: int = 0,
    dim1: int = -2,
    dim2: int = -1,
) -> Value:
    return diagonal(A, offset, dim1, dim2)


@table.convert("aten.linalg_vander.default")
def vander(x: Value, *, N: int | None = None) -> Value:  # noqa: N803  as above
    """Powers 0, 1, ... of every element, by running products."""
    size = N if N is not None else build.size_of(x, -1)
    x = x if x.rank else shape.reshape(x, [1])
    value = x.cast(Precision.INT64) if category(x.precision) < 2 else x
    column = shape.unsqueeze(value, [-1])
    one = value.model.constant(np.ones((), value.dtype))
    first = shape.expand(one, build.vector(x.model, [*build.sizes_of(x), 1]))
    rest = shape.expand(column, build.vector(x.model, [*build.sizes_of(x), size]))
    more = shape.concat(first, rest, axis=-1)
    whole = index.slice_(more, [-1], [0], build.vector(x.model, [size]))
    return reduce.cum_prod(whole, x.model.constant(np.int64(x.rank)))


def matrix_of(a: Value, columns: int) -> tuple[Value, list[int], list[int]]:
    """A tensor as a square matrix whose columns are its last axes; the sizes on both sides."""
    dims = [d for d in a.shape if isinstance(d, int)]
    if len(dims) < a.rank:
        raise NotConstant(f"linear algebra of {a.type}, whose sizes are not known")
    rows, rest = dims[:columns], dims[columns:]
    flat = build.reshape(a, [math.prod(rows), math.prod(rest)])
    return flat, rows, rest


@table.convert("aten.linalg_tensorinv.default")
def tensorinv(self: Value, ind: int = 2) -> Value:
    flat, rows, rest = matrix_of(self, ind)
    return build.reshape(inverse(flat), [*rest, *rows])


@table.convert("aten.linalg_tensorsolve.default")
def tensorsolve(self: Value, other: Value, dims: tuple[int, ...] | None = None) -> Value:
    if dims is not None:
        axes = axes_of(dims, self.rank)
        kept = [a for a in range(self.rank) if a not in axes]
        self = shape.transpose(self, perm=(*kept, *axes))
    flat, _, rest = matrix_of(self, other.rank)
    column = build.reshape(other, [flat.shape[0] if isinstance(flat.shape[0], int) else -1, 1])
    return build.reshape(linalg.solve(flat, column), rest)
