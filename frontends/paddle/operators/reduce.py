"""Paddle's reductions along axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnir.broadcast import contents
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.operator import Operator
from nnir.ops import compare, reduce, shape, unary
from nnir.recipes import reduce as reduce_recipes
from nnir.recipes.distance import vector_norm
from nnir.recipes.promotion import COMPLEX, promote_to_float, round_once
from nnir.recipes.reduce import arg_extreme, reduce_axes, reduce_extreme
from nnir.recipes.unary import is_nan
from nnir.types import Precision

from ...table import Ints, Table
from . import cumulative as running
from . import statistics
from .cumulative import flat

table = Table.merge([running.table, statistics.table])


def keep_axes(x: Value, result: Value, keepdim: bool) -> Value:
    """A reduction over everything with all axes as ones, where they shall stay."""
    return shape.reshape(result, [1] * x.rank) if keepdim and x.rank else result


def summand(x: Value, dtype: Precision | None) -> Value:
    """What is added up: truth values and int32 as int64, unless a type is asked for."""
    if dtype is None and x.precision in (Precision.BOOL8, Precision.INT32):
        dtype = Precision.INT64
    return x if dtype is None else x.cast(dtype)


@table.convert("sum")
def sum_(x: Value, axis: Ints, dtype: Precision | None, keepdim: bool) -> Value:
    return reduce_axes(reduce.reduce_sum, summand(x, dtype), axis, keepdim)


@table.convert("nansum")
def nansum(x: Value, axis: Ints, dtype: Precision | None, keepdim: bool) -> Value:
    numbers = compare.where(is_nan(x), 0, x) if x.is_float else x
    return sum_(numbers, axis, dtype, keepdim)


@table.convert("mean")
@table.convert("mean_all", axis=(), keepdim=False)
def mean(x: Value, axis: Ints, keepdim: bool) -> Value:
    """Of integers too, as FLOAT32, which loses its fraction."""
    if x.precision == Precision.BOOL8:
        raise Unsupported(f"the mean of {x.type}")
    real = x.cast(Precision.FLOAT32) if x.is_integer else x
    return reduce_axes(reduce.reduce_mean, real, axis, keepdim).cast(x.precision)


@table.convert("prod")
def prod(x: Value, axis: Ints, keepdim: bool, reduce_all: bool) -> Value:
    return reduce_axes(reduce.reduce_prod, x, () if reduce_all else axis, keepdim)


@table.each({"max": reduce.reduce_max, "min": reduce.reduce_min})
@table.each({"amax": reduce.reduce_max, "amin": reduce.reduce_min})
def best(operator: Operator, x: Value, axis: Ints, keepdim: bool) -> Value:
    return reduce_extreme(operator, x, axis, keepdim)


@table.each({"all": reduce.reduce_min, "any": reduce.reduce_max})
def truths(operator: Operator, x: Value, axis: Ints, keepdim: bool) -> Value:
    return reduce_axes(operator, x.cast(Precision.BOOL8), axis, keepdim)


@table.convert("logsumexp")
def logsumexp(x: Value, axis: Ints, keepdim: bool, reduce_all: bool) -> Value:
    (value,) = promote_to_float(x)
    return reduce_axes(reduce.reduce_log_sum_exp, value, () if reduce_all else axis, keepdim)


LEAST = {reduce.arg_max: -np.inf, reduce.arg_min: np.inf}


@table.each({"argmax": reduce.arg_max, "argmin": reduce.arg_min})
def best_position(
    operator: Operator,
    x: Value,
    axis: int,
    keepdims: bool,
    flatten: bool,
    dtype: Precision,
) -> Value:
    """Where the best element is; NaN is none."""
    if keepdims and not x.rank:
        raise Unsupported(f"the best position in {x.type}, with axes that are kept")
    if x.is_float:
        x = compare.where(compare.equal(x, x), x, LEAST[operator])
    if not flatten:
        return arg_extreme(operator, x, axis, keepdims).cast(dtype)
    place = operator(flat(x), axis=0, keepdim=False, dtype=dtype)
    return keep_axes(x, place, keepdims)


@table.each(
    {
        "max_with_index": (reduce.reduce_max, reduce.arg_max),
        "min_with_index": (reduce.reduce_min, reduce.arg_min),
    }
)
def best_with_position(
    operators: tuple[Operator, Operator],
    x: Value,
    dim: Index,
    keepdim: bool,
    flatten: bool,
) -> tuple[Value, Value]:
    """The largest or smallest elements and where they are."""
    largest, position = operators
    if flatten:
        line = flat(x)
        value, place = largest(line, [0], keepdim=False), position(line, axis=0, keepdim=False)
        return keep_axes(x, value, keepdim), keep_axes(x, place, keepdim)
    known = contents(dim)
    if known is None or not isinstance(known[0], int):
        raise Unsupported(f"{largest.name} with positions along an axis that is not known")
    place = arg_extreme(position, x, known[0], keepdim)
    return reduce_axes(largest, x, (known[0],), keepdim), place


@table.each({"var": lambda found: found, "std": unary.sqrt})
def spread(
    finish: Callable[[Value], Value],
    x: Value,
    axis: Ints,
    keepdim: bool,
    unbiased: bool,
    correction: float,
) -> Value:
    """`unbiased` says nothing beside the correction."""
    return round_once(lambda v: finish(reduce_recipes.variance(v, axis, correction, keepdim)), x)


@table.convert("variance")
def variance(x: Value, axis: Ints, keepdim: bool) -> Value:
    return round_once(lambda v: reduce_recipes.variance(v, axis, 0, keepdim), x)


@table.convert("p_norm")
def p_norm(
    x: Value,
    porder: float,
    axis: int,
    epsilon: float,
    keepdim: bool,
    asvector: bool,
) -> Value:
    """`epsilon` only serves the gradient."""
    dim = None if asvector else (axis,)
    return round_once(lambda v: kept_norm(v, porder, dim, keepdim), x)


def kept_norm(x: Value, order: float, dim: Ints | None, keepdim: bool) -> Value:
    """The norm of vectors; of a tensor without axes its size."""
    return vector_norm(x, order, dim, keepdim and bool(x.rank))


@table.convert("frobenius_norm")
def frobenius_norm(x: Value, axis: Ints, keep_dim: bool, reduce_all: bool) -> Value:
    dim = None if reduce_all or not axis else axis
    if x.precision in COMPLEX:
        raise Unsupported(f"frobenius_norm of {x.type}: Paddle adds squares of complex numbers")
    return round_once(lambda v: kept_norm(v, 2.0, dim, keep_dim), x)


@table.convert("squared_l2_norm")
def squared_l2_norm(x: Value) -> Value:
    """A vector of one element."""
    total = reduce_axes(reduce.reduce_sum, unary.square(x), None, keepdim=False)
    return shape.reshape(total, [1])


@table.convert("reduce_as")
def reduce_as(x: Value, target: Value) -> Value:
    """The sum over the axes that a broadcast of `target` would add or repeat."""
    lead = x.rank - target.rank
    if lead < 0:
        raise BadType(f"reduce_as of {x.type} to {target.type}")
    pairs = zip(x.shape[lead:], target.shape, strict=True)
    repeated = [lead + k for k, (mine, theirs) in enumerate(pairs) if theirs == 1 and mine != 1]
    total = summand(x, None)
    if repeated:
        total = reduce.reduce_sum(total, repeated, keepdim=True)
    return reduce.reduce_sum(total, list(range(lead)), keepdim=False) if lead else total
