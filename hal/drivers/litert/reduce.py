"""Reductions and running sums along axes."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from nnir.broadcast import axis_of, ints, length_of
from nnir.model import Value
from nnir.ops import reduce
from nnir.recipes.reduce import mean_by_sum
from nnir.types import Precision

from ... import orders
from ...attributes import Ints
from ...lowering import Lowerings
from ...operands import Known, reduced_axes
from .emitter import Emitter, Ref, Taken, result_shape

table = Lowerings[Ref]()
table.decompose(reduce.reduce_mean, mean_by_sum)
BOOL = Precision.BOOL8


def take_axes(g: Emitter, axes: Value) -> Ints | Ref:
    """The axes that are reduced, as a tensor where they are only known while running."""
    reduced = g.operation.inputs[0]
    if 0 in axes.shape or ints(axes) is not None or reduced is None or 0 in reduced.shape:
        return reduced_axes(g, axes)
    return g.reshape(g.cast(axes, Precision.INT32), (length_of(axes),))


Axes = Annotated[Ints | Ref, take_axes]


def reduce_axes(
    g: Emitter,
    name: str,
    ref: Ref,
    axes: Ints | Ref,
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
def _combine(g: Emitter, name: str, input: Taken, axes: Axes, *, keepdim: bool) -> Ref:
    is_held = name != "MEAN" or input.precision.is_float
    g.need(is_held, f"has no mean of {input.precision.name}")
    return reduce_axes(g, name, input, axes, keepdim=keepdim)


@table.each({reduce.reduce_max: "REDUCE_MAX", reduce.reduce_min: "REDUCE_MIN"})
def _extreme(g: Emitter, name: str, input: Taken, axes: Axes, *, keepdim: bool) -> Ref:
    """The largest or the smallest element; NaN, which the kernels pass over, wins."""
    if input.tensor.precision == BOOL:
        name = {"REDUCE_MAX": "REDUCE_ANY", "REDUCE_MIN": "REDUCE_ALL"}[name]
    found = reduce_axes(g, name, input, axes, keepdim=keepdim)
    if not input.precision.is_float:
        return found
    some = reduce_axes(g, "REDUCE_ANY", input.unequal(input), axes, keepdim=keepdim)
    return g.where(some, np.nan, found)


@table.each({reduce.arg_max: "ARG_MAX", reduce.arg_min: "ARG_MIN"}, implied=["keepdim"])
def _position(g: Emitter, name: str, input: Taken, *, axis: int, dtype: Precision) -> Ref:
    """The first NaN where there is one, over which the kernels pass."""
    along = (axis_of(axis, input.rank),)
    find = partial(reduce_axes, g, axes=along, precision=Precision.INT32, output_type=2)
    found = find(name, input)
    if input.precision.is_float:
        nan = input.unequal(input)
        first = find("ARG_MAX", nan.cast(Precision.INT32))
        found = g.where(reduce_axes(g, "REDUCE_ANY", nan, along), first, found)
    return g.reshape_last(found, result_shape(g)).cast(dtype)


@table.lower(reduce.cum_sum)
def cum_sum(g: Emitter, input: Taken, axis: Known | None, *, exclusive: bool, reverse: bool) -> Ref:
    (along,) = axis or (-1,)
    place = g.constant(np.int32(input.place(along)))
    return g.compute("CUMSUM", [input], place, exclusive=exclusive, reverse=reverse)
