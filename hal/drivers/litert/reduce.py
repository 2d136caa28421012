"""Reductions and running sums along axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.broadcast import axis_of, ints, length_of
from nnir.dim import Dim
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import reduce
from nnir.types import Precision

from ... import orders
from ...lowering import Lowerings
from ...orders import Order, identity
from .emitter import Emitter, Ref, result_shape

table = Lowerings[Ref]()
BOOL = Precision.BOOL8


Axes = Sequence[int] | Ref


def known_axes(g: Emitter, input: Value, axes: Value) -> Axes:
    """The axes that are reduced, as a tensor where they are only known while running."""
    known = () if 0 in axes.shape else ints(axes)
    if known is None:
        if 0 in input.shape or (axes.rank == 1 and not isinstance(axes.shape[0], int)):
            raise NoLowering(f"litert reduces {input.type} along known axes only")
        return g.reshape(g.cast(axes, Precision.INT32), (length_of(axes),))
    found = tuple(axis_of(a, input.rank) for a in known)
    return found or tuple(range(input.rank))


def reduce_axes(
    g: Emitter,
    name: str,
    ref: Ref,
    axes: Axes,
    *,
    keepdim: bool,
    precision: Precision | None = None,
) -> Ref:
    """A reduction of axes of the value, wherever they are stored."""
    if isinstance(axes, orders.Ref):  # only known while running
        ref, where, shape = g.plain(ref), axes, result_shape(g)
        order = identity(len(shape))
    elif not axes:
        return ref if precision in (None, ref.tensor.precision) else ref.cast(precision)
    else:
        places = sorted(ref.place(a) for a in axes)
        where, (shape, order) = g.ints(*places), _without(ref, axes)
        if keepdim:
            shape = tuple(1 if k in places else d for k, d in enumerate(ref.tensor.shape))
            order = ref.order
    return g.compute(name, [ref], shape, order, where, precision=precision, keep_dims=keepdim)


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
    ref, along = g.take(input), axis_of(axis, input.rank)
    found = _find_position(g, ref, along, name)
    if ref.precision.is_float:
        nan = ref.unequal(ref)
        some = reduce_axes(g, "REDUCE_ANY", nan, (along,), keepdim=False)
        first = _find_position(g, nan.cast(Precision.INT32), along, "ARG_MAX")
        found = g.where(some, first, found)
    return g.reshape_last(found, result_shape(g)).cast(dtype)


def _find_position(g: Emitter, ref: Ref, axis: int, name: str) -> Ref:
    shape, order = _without(ref, (axis,))
    where, kind = g.ints(ref.place(axis)), Precision.INT32
    return g.compute(name, [ref], shape, order, where, precision=kind, output_type=2)


def _without(ref: Ref, axes: Sequence[int]) -> tuple[tuple[Dim, ...], Order]:
    """The sizes as they are stored, and the order, of all other axes."""
    left = [a for a in ref.order if a not in axes]
    sizes = zip(ref.order, ref.tensor.shape, strict=True)
    return tuple(d for a, d in sizes if a in left), tuple(sorted(left).index(a) for a in left)


@table.lower(reduce.cum_sum)
def cum_sum(g: Emitter, input: Value, axis: Value | None, *, exclusive: bool, reverse: bool) -> Ref:
    known = (-1,) if axis is None else ints(axis)
    if known is None:
        raise NoLowering("litert sums up along a known axis only")
    ref = g.take(input)
    place = g.constant(np.array(ref.place(axis_of(known[0], input.rank)), np.int32))
    shape = ref.tensor.shape
    return g.compute("CUMSUM", [ref], shape, ref.order, place, exclusive=exclusive, reverse=reverse)
