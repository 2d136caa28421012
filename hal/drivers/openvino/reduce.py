"""Reductions and running sums along axes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from nnir.broadcast import axes_of, axis_of, ints, length_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import reduce
from nnir.types import Precision

from ...lowering import Lowerings
from .axes import fold_axes
from .elements import NARROW
from .emitter import Emitter, Ref, is_small
from .finite import is_computed
from .integers import compute_in_32_bits, extreme, product, total, wide, wrap

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


EXTREMES = (reduce.reduce_max, reduce.reduce_min)
Function = Callable[[Emitter, Ref, list[int], bool], Ref]


def _reduction(operator: Operator[Value], function: Function) -> None:
    """Lower a reduction by `function(g, data, axes, keepdim)`; no axes at all are all of them, and
    so are all of them where they are only known while running."""

    @table.lower(operator)
    def lower(g: Emitter, input: Value, axes: Value, *, keepdim: bool) -> Ref:
        known = () if length_of(axes) in (0, input.rank) else ints(axes)
        if known is None:
            if operator in EXTREMES and input.is_integer and 0 in input.shape:
                raise NoLowering(f"openvino: {operator.name} of nothing over axes that a run says")
            whole = partial(fold_axes, g, input, axes, keepdim=keepdim)
            return whole(lambda x, at: function(g, x, at, True))
        places = sorted(axes_of(known, input.rank)) or list(range(input.rank))
        if any(input.shape[k] == 0 for k in places):
            return _fold_nothing(g, operator, input, places, keepdim=keepdim)
        return function(g, g.take(input), places, keepdim)


def _fold_nothing(
    g: Emitter, operator: Operator[Value], input: Value, places: list[int], *, keepdim: bool
) -> Ref:
    """What is made of no elements, as often as the sizes of the other axes say: OpenVINO's kernels
    leave such a result as the memory is."""
    with np.errstate(all="ignore"):
        found = operator.reference(np.empty(0, input.dtype), np.zeros(1, np.int64), keepdim=False)
    number = np.asarray(found)
    if number.dtype == np.int64 and not is_small(number):
        raise NoLowering(f"openvino has {number} in 32 bits: {operator.name} of nothing")
    sizes = g.dims(input)
    kept = [k for k in range(input.rank) if keepdim or k not in places]
    target = [g.ints(1) if k in places else g.part(sizes, k, k + 1) for k in kept]
    return g.node("Broadcast", g.constant(number), g.concat(*target), mode="numpy")


def reduce_node(g: Emitter, op: str, ref: Ref, places: list[int], keepdim: bool) -> Ref:
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


def _sum(g: Emitter, ref: Ref, places: list[int], keepdim: bool) -> Ref:
    if ref.is_float:
        return reduce_node(g, "ReduceSum", ref.cast(FLOAT32), places, keepdim)
    return wrap(g, total(g, wide(g, ref), places, keepdim=keepdim), ref.precision)


def _product(g: Emitter, ref: Ref, places: list[int], keepdim: bool) -> Ref:
    if ref.is_float:
        return reduce_node(g, "ReduceProd", ref.cast(FLOAT32), places, keepdim)
    dims = [ref.output.get_partial_shape()[k] for k in places]
    sizes = [int(d.get_length()) for d in dims if d.is_static]
    if len(sizes) < len(dims) or max(sizes, default=0) > 256:
        raise NoLowering(f"openvino: a product of integers over {places} of {dims}")
    return compute_in_32_bits(g, lambda x: product(g, x, places, sizes, keepdim=keepdim), ref)


def _mean(g: Emitter, ref: Ref, places: list[int], keepdim: bool) -> Ref:
    """The mean of nothing is NaN, where OpenVINO has 0."""
    if not ref.is_float:
        raise NoLowering(f"openvino: the mean of {ref.precision.name}")
    x = ref.cast(FLOAT32)
    made = reduce_node(g, "ReduceMean", x, places, keepdim)
    source = g.operation.inputs[0]
    for k in () if source is not None and is_computed(source) else places:
        if not x.output.get_partial_shape()[k].is_static:
            made = g.where(g.size(x, k).equal(0), np.nan, made)
    return made


def _extreme(
    name: str, beyond: float, g: Emitter, ref: Ref, places: list[int], keepdim: bool
) -> Ref:
    """OpenVINO starts from the largest finite number and passes over NaN."""
    if ref.precision == Precision.BOOL8:
        op = "ReduceLogicalOr" if name == "ReduceMax" else "ReduceLogicalAnd"
        return reduce_node(g, op, ref, places, keepdim)
    if not ref.is_float:
        mode = "max" if name == "ReduceMax" else "min"
        return compute_in_32_bits(g, lambda x: extreme(g, x, places, mode, keepdim=keepdim), ref)
    x = ref.cast(FLOAT32)
    made = reduce_node(g, name, x, places, keepdim)
    if not places:
        return made
    every = reduce_node(g, "ReduceLogicalAnd", x.equal(beyond), places, keepdim)
    lost = reduce_node(g, "ReduceLogicalOr", g.node("IsNaN", x), places, keepdim)
    return g.where(lost, np.nan, g.where(every, beyond, made))


_reduction(reduce.reduce_sum, _sum)
_reduction(reduce.reduce_prod, _product)
_reduction(reduce.reduce_mean, _mean)
_reduction(reduce.reduce_max, partial(_extreme, "ReduceMax", -np.inf))
_reduction(reduce.reduce_min, partial(_extreme, "ReduceMin", np.inf))


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
