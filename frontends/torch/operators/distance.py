"""ATen norms and the distances made of them."""

from __future__ import annotations

import itertools

import numpy as np

from nnir.broadcast import axes_of, axis_of
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import binary, compare, index, reduce, shape, unary
from nnir.recipes import distance as distance_recipes
from nnir.recipes.distance import Axes
from nnir.recipes.promotion import Number, promote, round_once
from nnir.types import Precision

from ...table import Items, Table
from .shape import broadcast_tensors

table = Table()


def _norm(
    self: Value, p: Number | None, dim: Axes, keepdim: bool, dtype: Precision | None
) -> Value:
    order = 2.0 if p is None else p
    if isinstance(order, complex):
        raise Unsupported(f"a norm of order {order!r}")
    x = self if dtype is None else self.cast(dtype)
    return round_once(lambda y: distance_recipes.vector_norm(y, float(order), dim, keepdim), x)


@table.convert("aten.linalg_vector_norm.default")
def vector_norm(
    self: Value,
    ord: Number = 2,
    dim: tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: Precision | None = None,
) -> Value:
    return _norm(self, ord, dim, keepdim, dtype)


@table.convert("aten.norm.Scalar")
def norm(self: Value, p: Number = 2) -> Value:
    return _norm(self, p, None, keepdim=False, dtype=None)


@table.convert("aten.norm.ScalarOpt_dim")
def norm_dim(self: Value, p: Number | None, dim: tuple[int, ...], keepdim: bool = False) -> Value:
    return _norm(self, p, dim, keepdim, None)


@table.convert("aten.norm.ScalarOpt_dim_dtype")
def norm_dim_dtype(
    self: Value, p: Number | None, dim: tuple[int, ...], keepdim: bool, *, dtype: Precision
) -> Value:
    return _norm(self, p, dim, keepdim, dtype)


@table.convert("aten.norm.ScalarOpt_dtype")
def norm_dtype(self: Value, p: Number | None, *, dtype: Precision) -> Value:
    return _norm(self, p, None, keepdim=False, dtype=dtype)


@table.convert("aten.dist.default")
def dist(self: Value, other: Value, p: Number = 2) -> Value:
    return _norm(binary.sub(*promote(self, other)), p, None, keepdim=False, dtype=None)


def _apart(x1: Value, x2: Value, p: float) -> Value:
    """The distance along the last axis; with p = 0 how many elements differ, NaN with NaN."""

    def body(a: Value, b: Value) -> Value:
        between = a - b
        if p:
            return distance_recipes.vector_norm(between, p, (-1,), keepdim=False)
        differ = binary.min_(unary.ceil(abs(between)), 1)
        return reduce.reduce_sum(differ, [-1], keepdim=False)

    return round_once(body, *promote(x1, x2))


def _rows(x1: Value, x2: Value, p: float) -> Value:
    """The distance of each row of x1 to each row of x2."""
    return _apart(shape.unsqueeze(x1, [x1.rank - 1]), shape.unsqueeze(x2, [x2.rank - 2]), p)


@table.convert("aten.cdist.default")
def cdist(x1: Value, x2: Value, p: float = 2.0, compute_mode: int | None = None) -> Value:
    return _rows(x1, x2, p)


@table.convert("aten._cdist_forward.default")
def cdist_forward(x1: Value, x2: Value, p: float, compute_mode: int | None) -> Value:
    return _rows(x1, x2, p)


@table.convert("aten._euclidean_dist.default")
def euclidean_dist(x1: Value, x2: Value) -> Value:
    return _rows(x1, x2, 2.0)


@table.convert("aten.pdist.default", "aten._pdist_forward.default")
def pdist(self: Value, p: float = 2.0) -> Value:
    if self.rank != 2:
        raise BadType(f"pdist of {self.type}: rows of a matrix are needed")
    count = self.shape[0]
    if isinstance(count, Expr):
        raise NotConstant(f"pdist of {self.type}, whose number of rows must be known")
    pairs = np.array(list(itertools.combinations(range(count), 2)), np.int64).reshape(-1, 2)
    left, right = (index.gather(self, self.model.constant(pairs[:, k]), axis=0) for k in (0, 1))
    return _apart(left, right, p)


@table.convert("aten.pairwise_distance.default")
def pairwise_distance(
    x1: Value, x2: Value, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False
) -> Value:
    between = binary.sub(*promote(x1, x2))
    return _norm(binary.add(*promote(between, eps)), p, (-1,), keepdim, None)


@table.convert("aten.cosine_similarity.default")
def cosine_similarity(x1: Value, x2: Value, dim: int = 1, eps: float = 1e-08) -> Value:
    operands = promote(x1, x2)
    rank = max(v.rank for v in operands)
    axis = axis_of(dim, max(rank, 1)) - rank
    if not rank:
        return cosine_similarity(*(shape.reshape(v, [1]) for v in operands), 0, eps)
    lengths = [v.shape[axis] if v.rank >= -axis else 1 for v in operands]
    if lengths[0] != lengths[1]:  # a vector is as long as its elements are many after broadcasting
        operands = broadcast_tensors(Items(operands))

    def unit(x: Value) -> Value:
        length = binary.max_(distance_recipes.vector_norm(x, 2, (axis,), keepdim=True), eps)
        return x / length

    def body(a: Value, b: Value) -> Value:
        product = unit(a) * unit(b)
        return reduce.reduce_sum(product, [axis], keepdim=False)

    return round_once(body, *operands)


@table.convert("aten.renorm.default")
def renorm(self: Value, p: Number, dim: int, maxnorm: Number) -> Value:
    if isinstance(p, complex) or isinstance(maxnorm, complex):
        raise Unsupported(f"renorm with p={p!r} and maxnorm={maxnorm!r}")
    (kept,) = axes_of((dim,), self.rank)

    def body(x: Value) -> Value:
        length = distance_recipes.vector_norm(
            x, float(p), tuple(k for k in range(x.rank) if k != kept), keepdim=True
        )
        longest = x.scalar(maxnorm)
        factor = longest / (length + 1e-7)
        above = length > longest
        return x * compare.where(above, factor, 1)

    return round_once(body, self)
