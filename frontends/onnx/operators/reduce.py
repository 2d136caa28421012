"""ONNX reductions and running sums along axes."""

from __future__ import annotations

from collections.abc import Callable

from nnir.broadcast import length_of
from nnir.model import Index, Value
from nnir.operator import Operator
from nnir.ops import reduce, unary
from nnir.recipes.promotion import round_once
from nnir.recipes.shape import flip
from nnir.types import Precision

from ...table import Table

table = Table()
Step = Callable[[Value], Value]
Kind = tuple[Operator[Value], Callable[[Value, Step], Value]]
"""An operator that folds axes, and what is made with it."""


def _plain(x: Value, fold: Step) -> Value:
    return fold(x)


def _in_floats(x: Value, fold: Step) -> Value:
    """Integers in float64."""
    return fold(x.cast(Precision.FLOAT64)).cast(x.precision) if x.is_integer else fold(x)


def _length(x: Value, fold: Step) -> Value:
    return _in_floats(x, lambda y: round_once(lambda z: unary.sqrt(fold(unary.square(z))), y))


KINDS: dict[str, Kind] = {
    "ReduceL1": (reduce.reduce_sum, lambda x, fold: fold(abs(x))),
    "ReduceL2": (reduce.reduce_sum, _length),
    "ReduceLogSum": (
        reduce.reduce_sum,
        lambda x, fold: _in_floats(x, lambda y: unary.log(fold(y))),
    ),
    "ReduceLogSumExp": (reduce.reduce_log_sum_exp, _in_floats),
    "ReduceMax": (reduce.reduce_max, _plain),
    "ReduceMean": (reduce.reduce_mean, _plain),
    "ReduceMin": (reduce.reduce_min, _plain),
    "ReduceProd": (reduce.reduce_prod, _plain),
    "ReduceSum": (reduce.reduce_sum, _plain),
    "ReduceSumSquare": (reduce.reduce_sum, lambda x, fold: fold(unary.square(x))),
}


@table.each(KINDS, since=18)
@table.each({"ReduceSum": KINDS["ReduceSum"]}, since=13)
@table.each(KINDS, attributes={"axes": None}, noop_with_empty_axes=False)
def reduce_along(
    kind: Kind,
    data: Value,
    axes: Index | None = None,
    *,
    keepdims: bool = True,
    noop_with_empty_axes: bool = False,
) -> Value:
    operator, body = kind
    if noop_with_empty_axes and (axes is None or length_of(axes) == 0):
        return body(data, unary.assign)
    return body(data, lambda x: operator(x, [] if axes is None else axes, keepdim=keepdims))


@table.each({"ArgMax": reduce.arg_max, "ArgMin": reduce.arg_min})
def best_position(
    operator: Operator[Value],
    data: Value,
    *,
    axis: int = 0,
    keepdims: bool = True,
    select_last_index: bool = False,
) -> Value:
    if not select_last_index:
        return operator(data, axis=axis, keepdim=keepdims)
    position = operator(flip(data, (axis,)), axis=axis, keepdim=keepdims)
    return data.size(axis) - 1 - position


table.same({"CumSum": reduce.cum_sum}, since=11)
table.same({"CumProd": reduce.cum_prod}, since=26)
