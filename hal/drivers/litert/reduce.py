"""Reductions and running sums along axes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from nnir.broadcast import axes_of, axis_of, ints, length_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import reduce
from nnir.recipes.reduce import mean_by_sum
from nnir.types import Precision

from ... import orders
from ...lowering import Lowerings
from .emitter import Emitter, Ref, result_shape

table = Lowerings[Ref]()
table.decompose(reduce.reduce_mean, mean_by_sum)
BOOL = Precision.BOOL8


Axes = Sequence[int] | Ref


def known_axes(g: Emitter, input: Value, axes: Value) -> Axes:
    """The axes that are reduced, as a tensor where they are only known while running."""
    known = () if 0 in axes.shape else ints(axes)
    if known is not None:
        return axes_of(known, input.rank) or range(input.rank)
    if 0 in input.shape:
        raise NoLowering(f"litert reduces {input.type} along known axes only")
    return g.reshape(g.cast(axes, Precision.INT32), (length_of(axes),))


def reduce_axes(
    g: Emitter,
    name: str,
    ref: Ref,
    axes: Axes,
    *,
    keepdim: bool = False,
    precision: Precision | None = None,
    **fields: int,
) -> Ref:
    """A reduction of axes of the value, wherever they are stored."""
    if isinstance(axes, orders.Ref):  # only known while running
        ref, where, shape, order = g.plain(ref), axes, result_shape(g), None
    elif not axes:
        return ref
    else:
        where = g.ints(*sorted(map(ref.place, axes)))
        shape, order = ref.without(axes, keepdim=keepdim)
    fields = fields or {"keep_dims": keepdim}
    return g.compute(name, [ref], where, shape=shape, order=order, precision=precision, **fields)


@table.each(
    {reduce.reduce_mean: "MEAN", reduce.reduce_prod: "REDUCE_PROD", reduce.reduce_sum: "SUM"}
)
def _combine(g: Emitter, name: str, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    if name == "MEAN" and not input.is_float:
        raise NoLowering(f"litert has no mean of {input.precision.name}")
    return reduce_axes(g, name, g.take(input), known_axes(g, input, axes), keepdim=keepdim)


@table.each({reduce.reduce_max: "REDUCE_MAX", reduce.reduce_min: "REDUCE_MIN"})
def _extreme(g: Emitter, name: str, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    """The largest or the smallest element; NaN, which the kernels pass over, wins."""
    ref, along = g.take(input), known_axes(g, input, axes)
    if ref.tensor.precision == BOOL:
        name = {"REDUCE_MAX": "REDUCE_ANY", "REDUCE_MIN": "REDUCE_ALL"}[name]
    found = reduce_axes(g, name, ref, along, keepdim=keepdim)
    if not ref.precision.is_float:
        return found
    some = reduce_axes(g, "REDUCE_ANY", ref.unequal(ref), along, keepdim=keepdim)
    return g.where(some, np.nan, found)


@table.each({reduce.arg_max: "ARG_MAX", reduce.arg_min: "ARG_MIN"}, implied=["keepdim"])
def _position(g: Emitter, name: str, input: Value, *, axis: int, dtype: Precision) -> Ref:
    """The first NaN where there is one, over which the kernels pass."""
    ref, along = g.take(input), [axis_of(axis, input.rank)]
    find = partial(reduce_axes, g, axes=along, precision=Precision.INT32, output_type=2)
    found = find(name, ref)
    if ref.precision.is_float:
        nan = ref.unequal(ref)
        first = find("ARG_MAX", nan.cast(Precision.INT32))
        found = g.where(reduce_axes(g, "REDUCE_ANY", nan, along), first, found)
    return g.reshape_last(found, result_shape(g)).cast(dtype)


@table.lower(reduce.cum_sum)
def cum_sum(g: Emitter, input: Value, axis: Value | None, *, exclusive: bool, reverse: bool) -> Ref:
    known = (-1,) if axis is None else ints(axis)
    if known is None:
        raise NoLowering("litert sums up along a known axis only")
    ref = g.take(input)
    place = g.constant(np.int32(ref.place(known[0])))
    return g.compute("CUMSUM", [ref], place, exclusive=exclusive, reverse=reverse)
