"""TensorFlow's reductions and running sums along axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.model import Index, Value
from nnir.operator import Operator
from nnir.ops import complex, index, reduce, shape, unary
from nnir.recipes.reduce import reduce_along, reduce_bools
from nnir.types import Precision

from ...table import Table

table = Table()


def _reductions() -> None:
    operators = {
        "Mean": reduce.reduce_mean,
        "Sum": reduce.reduce_sum,
        "Prod": reduce.reduce_prod,
        "Max": reduce.reduce_max,
        "Min": reduce.reduce_min,
    }
    for name, operator in operators.items():
        table.convert(name)(_reduction(operator))


def _reduction(operator: Operator) -> Callable[..., Value]:
    def convert(input: Value, reduction_indices: Index, *, keep_dims: bool = False) -> Value:
        return reduce_along(operator, input, reduction_indices, keep_dims)

    return convert


_reductions()


@table.convert("All")
def all_(input: Value, reduction_indices: Index, *, keep_dims: bool = False) -> Value:
    return reduce_bools(reduce.reduce_min, input, reduction_indices, keep_dims)


@table.convert("Any")
def any_(input: Value, reduction_indices: Index, *, keep_dims: bool = False) -> Value:
    return reduce_bools(reduce.reduce_max, input, reduction_indices, keep_dims)


@table.convert("EuclideanNorm")
def euclidean_norm(input: Value, reduction_indices: Index, *, keep_dims: bool = False) -> Value:
    """The root of the sum of squares."""
    x = input
    squares = x * complex.conj(x) if x.precision.is_complex else unary.square(x)
    total = reduce_along(reduce.reduce_sum, squares, reduction_indices, keep_dims)
    if not total.is_integer:
        return unary.sqrt(total)
    root = unary.sqrt(unary.cast(total, dtype=Precision.FLOAT64))
    return unary.cast(root, dtype=x.precision)


@table.convert("Cumsum")
def cumsum(x: Value, axis: Index, *, exclusive: bool = False, reverse: bool = False) -> Value:
    return reduce.cum_sum(x, axis, exclusive=exclusive, reverse=reverse)


@table.convert("Cumprod")
def cumprod(x: Value, axis: Index, *, exclusive: bool = False, reverse: bool = False) -> Value:
    return reduce.cum_prod(x, axis, exclusive=exclusive, reverse=reverse)


@table.convert("CumulativeLogsumexp")
def cumulative_logsumexp(
    x: Value, axis: int, *, exclusive: bool = False, reverse: bool = False
) -> Value:
    """The logarithm of the sum of e to the power of all elements so far; of nothing -inf."""
    along = axis_of(axis, x.rank)
    turned = index.slice_(x, [along], [-1], [build.FRONT], [-1]) if reverse else x
    if exclusive:
        none = [1 if k == along else n for k, n in enumerate(build.sizes_of(x))]
        least = x.scalar(-np.inf)
        front = shape.expand(least, build.vector(x.model, none))
        turned = shape.concat(front, index.slice_(turned, [along], [0], [-1]), axis=along)
    found = reduce.cum_log_sum_exp(turned, axis=along)
    return index.slice_(found, [along], [-1], [build.FRONT], [-1]) if reverse else found
