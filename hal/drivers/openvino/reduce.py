"""Reductions and running sums along axes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from functools import partial
from operator import mul

import numpy as np

from nnir.broadcast import axes_of, ints, length_of
from nnir.model import Value
from nnir.ops import reduce
from nnir.types import Precision

from ...operands import Axis
from .axes import fold_axes
from .constants import fitting
from .emitter import Emitter, Ref
from .finite import is_computed
from .forms import Sizes, Table, widen
from .integers import extreme, product, total, wrap
from .orders import sortable

table = Table()


def reduce_node(g: Emitter, op: str, ref: Ref, places: list[int], keepdim: bool) -> Ref:
    """OpenVINO takes elements for others where it fuses what comes after a reduction of three axes:
    so neighbours become one axis, and where these are none, one stands in front. Of one that stood
    behind, OpenVINO loses the place. It moves a Transpose in front of a reduction with the axes
    that it had behind, so that none are dropped by the reduction itself."""
    if ref.rank != 3:
        made = g.node(op, ref, g.ints(*places), keep_dims=True)
        return made if keepdim else g.squeeze(made, *places)
    if len(places) == 3:
        made = g.node(op, g.reshape(ref, [-1]), g.ints(0), keep_dims=False)
        return g.reshape(made, [1, 1, 1]) if keepdim else made
    if places in ([1], [0, 2]):
        wide = g.unsqueeze(ref, 0)
        behind = g.ints(*[k + 1 for k in places])
        made = g.squeeze(g.node(op, wide, behind, keep_dims=True), 0)
        return made if keepdim else g.squeeze(made, *places)
    pairs = [[0], [1, 2]] if places in ([0], [1, 2]) else [[0, 1], [2]]
    merged = g.reshape(ref, _sizes(g, ref, pairs))
    made = g.node(op, merged, g.ints(pairs.index(places)), keep_dims=False)
    left = [[] if k in places else [k] for k in range(3) if keepdim or k not in places]
    return g.reshape(made, _sizes(g, ref, left))


def _sizes(g: Emitter, ref: Ref, groups: Sequence[Sequence[int]]) -> Ref | list[int]:
    """A shape whose sizes are the products of those of groups of axes."""
    shape = ref.output.get_partial_shape()
    if shape.is_static:
        return [math.prod(int(shape[k].get_length()) for k in group) for group in groups]
    sizes = g.dims(ref)
    parts = [[g.part(sizes, k, k + 1) for k in group] or [g.ints(1)] for group in groups]
    return g.concat(*(functools.reduce(mul, each) for each in parts))


def _fold_nothing(g: Emitter, input: Value, places: list[int], *, keepdim: bool) -> Ref:
    """What is made of no elements, as often as the sizes of the other axes say: OpenVINO's kernels
    leave such a result as the memory is."""
    with np.errstate(all="ignore"):
        found = g.operation.operator.reference(np.empty(0, input.dtype), [0], keepdim=False)
    sizes = g.dims(input)
    kept = [k for k in range(input.rank) if keepdim or k not in places]
    target = (g.ints(1) if k in places else g.part(sizes, k, k + 1) for k in kept)
    return g.broadcast(g.constant(fitting(np.asarray(found))), *target)


def _sum(g: Emitter, x: Ref, places: list[int], keepdim: bool) -> Ref:
    if x.is_float:
        return reduce_node(g, "ReduceSum", x, places, keepdim)
    return total(g, x, places, keepdim=keepdim)


def _product(g: Emitter, x: Ref, places: list[int], keepdim: bool) -> Ref:
    if x.is_float:
        return reduce_node(g, "ReduceProd", x, places, keepdim)
    dims = [x.output.get_partial_shape()[k] for k in places]
    sizes = [int(d.get_length()) for d in dims if d.is_static]
    g.need(
        len(sizes) == len(dims) and max(sizes, default=0) <= 256,
        f"has no product of integers over {places} of {dims}",
    )
    return product(g, x, places, sizes, keepdim=keepdim)


def _mean(g: Emitter, x: Ref, places: list[int], keepdim: bool) -> Ref:
    """The mean of nothing is NaN, where OpenVINO has 0."""
    source = g.operation.inputs[0]
    g.need(x.is_float, f"has no mean of {x.precision.name}")
    made = reduce_node(g, "ReduceMean", x, places, keepdim)
    for k in () if source is not None and is_computed(source) else places:
        if not x.output.get_partial_shape()[k].is_static:
            made = g.where(g.size(x, k).equal(0), np.nan, made)
    return made


def _extreme(name: str, beyond: float, g: Emitter, x: Ref, places: list[int], keepdim: bool) -> Ref:
    """OpenVINO starts from the largest finite number and passes over NaN."""
    if x.precision == Precision.BOOL8:
        op = "ReduceLogicalOr" if name == "ReduceMax" else "ReduceLogicalAnd"
        return reduce_node(g, op, x, places, keepdim)
    if not x.is_float:
        return extreme(g, x, places, "max" if name == "ReduceMax" else "min", keepdim=keepdim)
    made = reduce_node(g, name, x, places, keepdim)
    every = reduce_node(g, "ReduceLogicalAnd", x.equal(beyond), places, keepdim)
    lost = reduce_node(g, "ReduceLogicalOr", g.node("IsNaN", x), places, keepdim)
    return g.where(lost, np.nan, g.where(every, beyond, made))


@table.each(
    {
        reduce.reduce_sum: _sum,
        reduce.reduce_prod: _product,
        reduce.reduce_mean: _mean,
        reduce.reduce_max: partial(_extreme, "ReduceMax", -np.inf),
        reduce.reduce_min: partial(_extreme, "ReduceMin", np.inf),
    }
)
def _reduction(
    g: Emitter, fold: Callable[..., Ref], input: Value, axes: Value, *, keepdim: bool
) -> Ref:
    """No axes at all are all of them, and so are all of them where only a run says which."""
    known = () if length_of(axes) in (0, input.rank) else ints(axes)
    places = sorted(axes_of(known or (), input.rank)) or list(range(input.rank))
    x = widen(g, input)
    if not places:
        return x
    if known is None:
        is_extreme = g.operation.operator in (reduce.reduce_max, reduce.reduce_min)
        g.need(
            not (is_extreme and input.is_integer and 0 in input.shape),
            f"has no {g.operation.operator.name} of nothing over axes of a run",
        )
        made = fold_axes(g, x, axes, lambda r, at: fold(g, r, at, True), keepdim=keepdim)
    elif any(input.shape[k] == 0 for k in places):
        return _fold_nothing(g, input, places, keepdim=keepdim)
    else:
        made = fold(g, x, places, keepdim)
    return wrap(g, made, input.precision)


@table.each({reduce.arg_max: "max", reduce.arg_min: "min"}, implied=["dtype"])
def _position(g: Emitter, mode: str, input: Value, *, axis: Axis, keepdim: bool) -> Ref:
    x = sortable(g, input, highest=mode == "max")
    _, found = g.ranked(x, g.scalar(1), axis, mode, stable=True, index_element_type="i32")
    return found if keepdim else g.squeeze(found, axis)


@table.lower(reduce.cum_sum)
def cum_sum(g: Emitter, input: Value, axis: Sizes | None, *, exclusive: bool, reverse: bool) -> Ref:
    along = g.scalar(-1) if axis is None else g.one(axis)
    made = g.node("CumSum", widen(g, input), along, exclusive=exclusive, reverse=reverse)
    return wrap(g, made, input.precision)
