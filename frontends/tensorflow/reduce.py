"""TensorFlow's reductions and running sums along axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, ints
from nnir.model import Index, Value
from nnir.operator import Operator
from nnir.ops import complex, index, reduce, shape, unary
from nnir.types import Precision

from ..table import Table

table = Table()


def folded(operator: Operator, x: Value, axes: Value, keep_dims: bool) -> Value:
    """A reduction; unlike the standard's, no axes at all change nothing."""
    if not x.rank or axes.shape == (0,):
        return x
    known = ints(axes)
    where = axes if known is None else [axis_of(a, x.rank) for a in known]
    return operator(x, where, keepdim=keep_dims)


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
        return folded(operator, input, reduction_indices, keep_dims)

    return convert


_reductions()


def _of_bools(operator: Operator, x: Value, axes: Value, keep_dims: bool) -> Value:
    wide = unary.cast(x, dtype=Precision.UINT8)
    return unary.cast(folded(operator, wide, axes, keep_dims), dtype=Precision.BOOL8)


@table.convert("All")
def all_(input: Value, reduction_indices: Index, *, keep_dims: bool = False) -> Value:
    return _of_bools(reduce.reduce_min, input, reduction_indices, keep_dims)


@table.convert("Any")
def any_(input: Value, reduction_indices: Index, *, keep_dims: bool = False) -> Value:
    return _of_bools(reduce.reduce_max, input, reduction_indices, keep_dims)


@table.convert("EuclideanNorm")
def euclidean_norm(input: Value, reduction_indices: Index, *, keep_dims: bool = False) -> Value:
    """The root of the sum of squares."""
    x = input
    squares = x * complex.conj(x) if complex.is_complex(x) else unary.square(x)
    total = folded(reduce.reduce_sum, squares, reduction_indices, keep_dims)
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
        least = x.model.constant(-np.inf, x.dtype)
        front = shape.expand(least, build.vector(x.model, none))
        turned = shape.concat(front, index.slice_(turned, [along], [0], [-1]), axis=along)
    found = reduce.cum_log_sum_exp(turned, axis=along)
    return index.slice_(found, [along], [-1], [build.FRONT], [-1]) if reverse else found
