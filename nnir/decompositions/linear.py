"""Matrix products."""

from __future__ import annotations

import math

from .. import build
from ..broadcast import broadcast
from ..decomposition import Level
from ..dim import Expr, product
from ..errors import Unsupported
from ..model import Value
from ..ops import linear, reduce, shape
from ..ops.unary import is_number
from ..recipes.contraction import contract
from ..types import Fuse
from .conv import ACTIVATIONS, plain_sizes

MOST_PRODUCTS = 1 << 22
"""So many products of integers are made at once."""
MOST_SINGLE = 256
"""So many matrices are multiplied one by one."""


@linear.einsum.decomposes(level=Level.ROUNDING)
def _einsum(*input: Value, equation: str) -> Value:
    labels, result = linear.terms(equation, [v.rank for v in input])
    return contract(input, labels, result)


@linear.mat_mul.decomposes()
def _mat_mul_of_vectors(x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Value:
    """A row or a column, whose axis is dropped again."""
    if x.rank > 1 and y.rank > 1:
        raise Unsupported(f"the product of the matrices {x.type} and {y.type}")
    axes = [axis for v, axis in ((x, -2), (y, -1)) if v.rank == 1]
    rows = shape.unsqueeze(x, [0]) if x.rank == 1 else x
    columns = shape.unsqueeze(y, [1]) if y.rank == 1 else y
    flags = {"transpose_x": transpose_x and x.rank > 1, "transpose_y": transpose_y and y.rank > 1}
    return shape.squeeze(linear.mat_mul(rows, columns, **flags), axes)


@linear.mat_mul.decomposes()
def _mat_mul_of_integers(x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Value:
    """Every product, added up."""
    if not x.is_integer or not is_number(x.precision) or min(x.rank, y.rank) < 2:
        raise Unsupported(f"all products of {x.type} and {y.type}")
    left, right = (_swap_last(v) if t else v for v, t in ((x, transpose_x), (y, transpose_y)))
    sizes = *broadcast(left.shape[:-2], right.shape[:-2]), left.shape[-2], *right.shape[-2:]
    count = product(sizes)
    if isinstance(count, Expr) or count > MOST_PRODUCTS:
        raise Unsupported(f"all products of {x.type} and {y.type}, {MOST_PRODUCTS} at most")
    every = shape.unsqueeze(left, [-1]) * shape.unsqueeze(right, [-3])
    return reduce.reduce_sum(every, [-2], keepdim=False)


def join_stacks(x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Value:
    """Products of stacks along several axes as those of stacks along one."""
    batch = broadcast(x.shape[:-2], y.shape[:-2])
    rank = len(batch) + 2
    if min(x.rank, y.rank) < 2 or rank < 4:
        raise Unsupported(f"the stacks {x.type} and {y.type} along one axis")
    sizes = [
        build.size_of(x if x.rank + k >= rank and x.shape[k - rank] == d else y, k - rank)
        for k, d in enumerate(batch)
    ]

    def join(part: Value) -> Value:
        ends = build.sizes_of(part)[-2:]
        if part.rank > 2 and part.shape[:-2] != batch:
            part = shape.expand(part, build.vector(part.model, [*sizes, *ends]))
        return build.reshape(part, [build.product(sizes), *ends]) if part.rank > 2 else part

    parts = map(join, (x, y))
    made = linear.mat_mul(*parts, transpose_x=transpose_x, transpose_y=transpose_y)
    return build.reshape(made, [*sizes, *build.sizes_of(made)[1:]])


def multiply_each(x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Value:
    """The matrices of stacks one by one, for engines that multiply single ones."""
    outer, ranks = plain_sizes(broadcast(x.shape[:-2], y.shape[:-2])), (x.rank, y.rank)
    count = math.prod(outer)
    if min(ranks) < 2 or max(ranks) == 2 or not 1 <= count <= MOST_SINGLE:
        raise Unsupported(f"each product of {x.type} and {y.type}, of {MOST_SINGLE} at most")
    stacks = []
    for part in (x, y):
        ends = build.known_sizes(part, (-2, -1))
        flat = build.reshape(shape.expand(part, [*outer, *ends]), [count, *ends])
        stacks.append(shape.unstack(flat, axis=0, num=count))
    flags = {"transpose_x": transpose_x, "transpose_y": transpose_y}
    made = [linear.mat_mul(*pair, **flags) for pair in zip(*stacks, strict=True)]
    rows = shape.concat(*made, axis=0) if count > 1 else made[0]
    return build.reshape(rows, [*outer, *build.sizes_of(made[0])])


def _swap_last(x: Value) -> Value:
    return shape.transpose(x, perm=(*range(x.rank - 2), x.rank - 1, x.rank - 2))


@linear.fully_connected.decomposes(level=Level.ROUNDING)
def _fully_connected(input: Value, weight: Value, bias: Value, *, fuse_code: Fuse) -> Value:
    *batch, width = build.sizes_of(input)
    rows = build.reshape(input, [build.product(batch), width])
    result = linear.mat_mul(rows, weight, transpose_y=True) + bias
    return ACTIVATIONS[fuse_code](result) if fuse_code in ACTIVATIONS else result
