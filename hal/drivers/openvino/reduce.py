"""Reductions and running sums along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnir.broadcast import axes_of, axis_of, ints, length_of
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import reduce
from nnir.types import Precision

from ...lowering import Lowerings
from .axes import fold_axes
from .elements import NARROW
from .emitter import Emitter, Ref
from .finite import is_computed
from .integers import compute_in_32_bits, extreme, product, total, wide, wrap

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


def _places(input: Value, axes: Value) -> list[int]:
    """The axes; none at all stand for every axis."""
    known = ints(axes)
    if known is None and not _is_known(input, axes):
        raise NoLowering("openvino: a reduction over axes that are only known while running")
    return sorted(axes_of(known or (), input.rank)) or list(range(input.rank))


def _is_known(input: Value, axes: Value) -> bool:
    """Whether the axes are known: no axes at all are all of them, and so are all of them."""
    return ints(axes) is not None or length_of(axes) in (0, input.rank)


Function = Callable[[Ref, list[int], bool], Ref]


def _reduce_axes(g: Emitter, input: Value, axes: Value, keepdim: bool, function: Function) -> Ref:
    """`function(data, axes, keepdim)` over axes that may only be known while running."""
    if _is_known(input, axes):
        return function(g.take(input), _places(input, axes), keepdim)
    return fold_axes(g, input, axes, lambda x, at: function(x, at, True), keepdim=keepdim)


def reduce_node(g: Emitter, op: str, ref: Ref, places: list[int], *, keepdim: bool) -> Ref:
    """OpenVINO loses elements where it fuses what comes after a reduction of three axes: there a
    fourth one keeps them apart."""
    if not places:
        return ref
    if ref.rank != 3:
        return g.node(op, ref, g.ints(*places), keep_dims=keepdim)
    if len(places) == 3:
        made = g.node(op, g.reshape(ref, [-1]), g.ints(0), keep_dims=False)
        return g.reshape(made, [1, 1, 1]) if keepdim else made
    wide = g.reshape(ref, [0, 0, 0, 1], copy=True)
    made = g.reshape(g.node(op, wide, g.ints(*places), keep_dims=True), [0, 0, 0], copy=True)
    return made if keepdim else g.squeeze(made, *places)


def _float(op: str) -> Callable[..., Any]:
    """A reduction of floats in float32."""

    def lower(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
        def function(ref: Ref, places: list[int], keep: bool) -> Ref:
            return reduce_node(g, op, ref.cast(FLOAT32), places, keepdim=keep)

        return _reduce_axes(g, input, axes, keepdim, function).cast(input.precision)

    return lower


@table.lower(reduce.reduce_sum)
def reduce_sum(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    if input.is_float:
        return _float("ReduceSum")(g, input, axes, keepdim=keepdim)

    def function(ref: Ref, places: list[int], keep: bool) -> Ref:
        return wrap(g, total(g, wide(g, ref), places, keepdim=keep), input.precision)

    return _reduce_axes(g, input, axes, keepdim, function)


@table.lower(reduce.reduce_prod)
def reduce_prod(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    if input.is_float:
        return _float("ReduceProd")(g, input, axes, keepdim=keepdim)
    places = _places(input, axes)
    sizes = [input.shape[k] for k in places]
    known = [d for d in sizes if not isinstance(d, Expr)]
    if len(known) < len(sizes) or max(known, default=0) > 256:
        raise NoLowering(f"openvino: a product of integers of {input.type} over {places}")
    return compute_in_32_bits(g, lambda x: product(g, x, places, known, keepdim=keepdim), input)


@table.lower(reduce.reduce_mean)
def reduce_mean(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
    """The mean of nothing is NaN, where OpenVINO has 0."""
    if not input.is_float:
        raise NoLowering(f"openvino: the mean of {input.type}")
    careful = not is_computed(input)

    def function(ref: Ref, places: list[int], keep: bool) -> Ref:
        x = ref.cast(FLOAT32)
        made = reduce_node(g, "ReduceMean", x, places, keepdim=keep)
        for k in places:
            if careful and not x.output.get_partial_shape()[k].is_static:
                made = g.where(g.size(x, k).equal(0), np.nan, made)
        return made

    return _reduce_axes(g, input, axes, keepdim, function)


def _extreme(operator: Operator, name: str, beyond: float) -> None:
    @table.lower(operator)
    def lower(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
        def function(ref: Ref, places: list[int], keep: bool) -> Ref:
            return _extreme_of(g, name, beyond, ref, places, keep)

        return _reduce_axes(g, input, axes, keepdim, function)


def _extreme_of(
    g: Emitter, name: str, beyond: float, ref: Ref, places: list[int], keepdim: bool
) -> Ref:
    """OpenVINO starts from the largest finite number and passes over NaN."""
    if ref.precision == Precision.BOOL8:
        op = "ReduceLogicalOr" if name == "ReduceMax" else "ReduceLogicalAnd"
        return reduce_node(g, op, ref, places, keepdim=keepdim)
    if not ref.is_float:
        sizes = ref.output.get_partial_shape()
        if ref.precision not in NARROW and any(sizes[k] == 0 for k in places):
            raise NoLowering(f"openvino: extremes of nothing of {ref.precision.name}")
        mode = "max" if name == "ReduceMax" else "min"
        found = extreme(g, wide(g, ref), places, mode, keepdim=keepdim)
        return wrap(g, found, ref.precision)
    x = ref.cast(FLOAT32)
    made = reduce_node(g, name, x, places, keepdim=keepdim)
    if not places:
        return made
    infinite = x.equal(beyond)
    every = reduce_node(g, "ReduceLogicalAnd", infinite, places, keepdim=keepdim)
    made = g.where(every, beyond, made)
    lost = reduce_node(g, "ReduceLogicalOr", g.node("IsNaN", x), places, keepdim=keepdim)
    return g.where(lost, np.nan, made)


_extreme(reduce.reduce_max, "ReduceMax", -np.inf)
_extreme(reduce.reduce_min, "ReduceMin", np.inf)


def sortable(g: Emitter, input: Value, *, highest: bool) -> Ref:
    """Values in an order; NaN is what is looked for, beyond infinity, which is as the largest."""
    if input.precision == Precision.BOOL8:
        return g.cast(input, Precision.INT32)
    if not input.is_float:
        return wide(g, input)
    x = g.cast(input, FLOAT32)
    most = float(np.finfo(np.float32).max) * (1 if highest else -1)
    finite = g.pair("Minimum" if highest else "Maximum", x, most)
    return g.where(g.node("IsNaN", x), np.inf if highest else -np.inf, finite)


@table.each({reduce.arg_max: "max", reduce.arg_min: "min"})
def _position(
    g: Emitter, mode: str, input: Value, *, axis: int, keepdim: bool, dtype: Precision
) -> Ref:
    place = axis_of(axis, input.rank)
    x = sortable(g, input, highest=mode == "max")
    _, found = g.ranked(x, g.scalar(1), place, mode, stable=True, index_element_type="i32")
    return found if keepdim else g.squeeze(found, place)


@table.lower(reduce.cum_sum)
def cum_sum(g: Emitter, input: Value, axis: Value | None, *, exclusive: bool, reverse: bool) -> Ref:
    along = g.scalar(-1) if axis is None else g.reshape(g.int64(axis), [])
    kind = Precision.INT32 if input.precision in NARROW else input.precision
    x = g.cast(input, FLOAT32 if input.is_float else kind)
    made = g.node("CumSum", x, along, exclusive=exclusive, reverse=reverse)
    return wrap(g, made, input.precision)
