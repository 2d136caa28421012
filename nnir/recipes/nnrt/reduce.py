"""NNRt's reductions: axes, `reduce_to_end` for all behind the first, a factor for the result."""

from __future__ import annotations

from collections.abc import Callable

from ...broadcast import axis_of, ints
from ...errors import BadType, NotConstant
from ...model import Index, Value
from ...ops import compare, reduce, sort, unary
from ...types import Precision
from ..reduce import reduce_along, reduce_bools
from . import Recipes

Reduction = Callable[[Value, Value, bool], Value]


def _axes(input: Value, axis: Value, *, to_end: bool) -> Value:
    """The axes as a vector, each once."""
    known = ints(axis)
    if known is None:
        raise NotConstant(f"a reduction of {input.type} along axes that are not known")
    if not known:
        raise BadType(f"a reduction of {input.type} along no axis: one at least is needed")
    places = [axis_of(a, input.rank) for a in known]
    if to_end:
        if len(places) > 1:
            raise BadType(f"reduceToEnd with the axes {list(known)}: one is accepted")
        places = list(range(places[0], input.rank))
    if len(set(places)) < len(places):
        raise BadType(f"a reduction of {input.type} along {list(known)}: each axis once")
    return input.model.constant(places, "int64")


def _reduction(compute: Reduction, least: int) -> Callable[..., Value]:
    """A reduction; those that came in API 9 have defaults for what came later."""

    def later(
        input: Value, axis: Index, *, keep_dims: bool, reduce_to_end: bool, coeff: float
    ) -> Value:
        found = compute(input, _axes(input, axis, to_end=reduce_to_end), keep_dims)
        if coeff == 1:
            return found
        if not found.is_float:
            raise BadType(f"a reduction of {input.type} with coeff={coeff}: floats are accepted")
        return found * coeff

    def early(
        input: Value,
        axis: Index,
        *,
        keep_dims: bool,
        reduce_to_end: bool = False,
        coeff: float = 1.0,
    ) -> Value:
        return later(input, axis, keep_dims=keep_dims, reduce_to_end=reduce_to_end, coeff=coeff)

    return early if least == 9 else later


def _mean(x: Value, axes: Value, keep: bool) -> Value:
    return reduce_along(reduce.reduce_mean, x, axes, keep)


def _sum(x: Value, axes: Value, keep: bool) -> Value:
    return reduce_along(reduce.reduce_sum, x, axes, keep)


def _product(x: Value, axes: Value, keep: bool) -> Value:
    return reduce_along(reduce.reduce_prod, x, axes, keep)


def _maximum(x: Value, axes: Value, keep: bool) -> Value:
    return reduce_along(reduce.reduce_max, x, axes, keep)


def _minimum(x: Value, axes: Value, keep: bool) -> Value:
    return reduce_along(reduce.reduce_min, x, axes, keep)


def _length(x: Value, axes: Value, keep: bool) -> Value:
    return unary.sqrt(_sum(unary.square(x), axes, keep))


def _all(x: Value, axes: Value, keep: bool) -> Value:
    """Whether all elements differ from 0."""
    is_bool = x.precision == Precision.BOOL8
    holds = x if is_bool else compare.not_equal(x, x.scalar(0))
    return reduce_bools(reduce.reduce_min, holds, axes, keep)


def all_(input: Value, axis: Index, *, keep_dims: int) -> Value:
    """Whether all elements along axes differ from 0."""
    return _all(input, _axes(input, axis, to_end=False), bool(keep_dims))


def arg_max(
    input: Value, *, axis: int, keep_dims: bool, top_k: int = 1, out_max_value: bool = False
) -> Value:
    """Where the `top_k` largest elements along an axis are, or with `out_max_value` the elements.

    The axis of several stays.
    """
    place = axis_of(axis, input.rank)
    if top_k < 1:
        raise BadType(f"ARG_MAX with topK={top_k}: 1 or more is accepted")
    if top_k > 1:
        values, places = sort.top_k(
            input, [top_k], axis=place, return_indices_dtype=Precision.INT32
        )
        return values if out_max_value else places
    if out_max_value:
        return reduce.reduce_max(input, [place], keepdim=keep_dims)
    return reduce.arg_max(input, axis=place, keepdim=keep_dims, dtype=Precision.INT32)


RECIPES: Recipes = {
    "ALL": all_,
    "ARG_MAX": arg_max,
    "REDUCE_ALL": _reduction(_all, 9),
    "REDUCE_L2": _reduction(_length, 12),
    "REDUCE_MAX": _reduction(_maximum, 12),
    "REDUCE_MEAN": _reduction(_mean, 9),
    "REDUCE_MIN": _reduction(_minimum, 12),
    "REDUCE_PROD": _reduction(_product, 9),
    "REDUCE_SUM": _reduction(_sum, 12),
}
