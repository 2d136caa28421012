"""Reductions and running sums along axes."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np

from nnir.broadcast import ints, length_of
from nnir.model import Value
from nnir.ops import reduce
from nnir.recipes.reduce import mean_by_sum
from nnir.types import Precision

from ... import orders
from ...attributes import Ints
from ...lowering import Lowerings
from ...operands import Axis, Known, reduced_axes
from .emitter import Emitter, Ref, Taken, result_shape

table = Lowerings[Ref]()
table.decompose(reduce.reduce_mean, mean_by_sum)


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


@table.each(
    {
        reduce.reduce_max: ("REDUCE_MAX", "REDUCE_ANY"),
        reduce.reduce_min: ("REDUCE_MIN", "REDUCE_ALL"),
    }
)
def _extreme(g: Emitter, names: tuple[str, str], input: Taken, axes: Axes, *, keepdim: bool) -> Ref:
    """The largest or the smallest element; NaN, which the kernels pass over, wins."""
    find = partial(reduce_axes, g, axes=axes, keepdim=keepdim)
    found = find(names[input.precision == Precision.BOOL8], input)
    if not input.precision.is_float:
        return found
    return g.where(find("REDUCE_ANY", input.unequal(input)), np.nan, found)


@table.each({reduce.arg_max: "ARG_MAX", reduce.arg_min: "ARG_MIN"}, implied=["keepdim"])
def _position(g: Emitter, name: str, input: Taken, *, axis: Axis, dtype: Precision) -> Ref:
    """The first NaN where there is one, over which the kernels pass."""
    find = partial(reduce_axes, g, axes=(axis,), precision=Precision.INT32, output_type=2)
    found = find(name, input)
    if input.precision.is_float:
        nan = input.unequal(input)
        first = find("ARG_MAX", nan.cast(Precision.INT32))
        found = g.where(reduce_axes(g, "REDUCE_ANY", nan, (axis,)), first, found)
    return g.reshape_last(found, result_shape(g)).cast(dtype)


@table.lower(reduce.cum_sum)
def cum_sum(g: Emitter, input: Taken, axis: Known | None, *, exclusive: bool, reverse: bool) -> Ref:
    (along,) = axis or (-1,)
    place = g.constant(np.int32(input.place(along)))
    return g.compute("CUMSUM", [input], place, exclusive=exclusive, reverse=reverse)
