"""Paddle's sums, products, maxima and minima of all elements so far."""

from __future__ import annotations

import ml_dtypes

from nnir import build
from nnir.broadcast import axis_of
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import index, reduce, shape
from nnir.recipes.promotion import promote_to_float
from nnir.recipes.shape import flip
from nnir.types import Precision

from ...table import Pair, Table

table = Table()


def flat(x: Value) -> Value:
    """All elements as a vector."""
    return x if x.rank == 1 else shape.reshape(x, [-1])


def is_single(x: Value) -> bool:
    """Whether there is one element: Paddle gives it back, even where it is to be left out."""
    return all(d == 1 for d in x.shape)


@table.convert("cumsum")
def cumsum(x: Value, axis: int, flatten: bool, exclusive: bool, reverse: bool) -> Value:
    """A tensor without axes stays what it is, even without its own element."""
    if flatten:
        x, axis = flat(x), 0
    place = axis_of(axis, x.rank) if x.rank else 0
    if is_single(x):
        return x
    return reduce.cum_sum(x, place, exclusive=exclusive, reverse=reverse)


@table.convert("cumsum_")
def cumsum_(x: Value, axis: int, flatten: bool, exclusive: bool, reverse: bool) -> Value:
    if exclusive and not reverse:
        raise Unsupported("cumsum_ with exclusive=True, for which Paddle gives zeros")
    return cumsum(x, axis, flatten, exclusive, reverse)


@table.convert("cumprod", "cumprod_")
def cumprod(x: Value, dim: int, exclusive: bool, reverse: bool) -> Value:
    if not x.rank:
        return x
    return reduce.cum_prod(x, axis_of(dim, x.rank), exclusive=exclusive, reverse=reverse)


@table.convert("logcumsumexp")
def logcumsumexp(x: Value, axis: int, flatten: bool, exclusive: bool, reverse: bool) -> Value:
    """Without the element itself the first result is the lowest number."""
    (value,) = promote_to_float(x)
    if flatten:
        value, axis = flat(value), 0
    place = axis_of(axis, value.rank) if value.rank else 0
    if is_single(value):
        return value
    line = flip(value, (place,)) if reverse else value
    found = reduce.cum_log_sum_exp(line, axis=place)
    if exclusive:
        found = shift_along(found, place)
    return flip(found, (place,)) if reverse else found


def shift_along(x: Value, axis: int) -> Value:
    """Every element one further along an axis, the lowest number in front."""
    least = float(ml_dtypes.finfo(x.dtype).min)  # type: ignore[no-untyped-call]
    own = build.sizes_of(x)
    front = shape.expand(
        x.model.constant(least, x.dtype), build.vector(x.model, [*own[:axis], 1, *own[axis + 1 :]])
    )
    return shape.concat(front, index.slice_(x, [axis], [0], [-1]), axis=axis)


@table.each({"cummax": reduce.cum_max, "cummin": reduce.cum_min})
def best_so_far(operator: Operator[Pair], x: Value, axis: int, dtype: Precision) -> Pair:
    if not x.rank:
        axis_of(axis, 1)
        return x, x.model.constant(0, dtype.dtype)
    values, places = operator(x, axis=axis_of(axis, x.rank))
    return values, places.cast(dtype)
