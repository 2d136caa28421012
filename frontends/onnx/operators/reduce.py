"""ONNX reductions and running sums along axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnir.broadcast import axis_of, length_of
from nnir.dim import Expr
from nnir.errors import NotConstant
from nnir.model import Value
from nnir.ops import index, reduce, shape, unary
from nnir.types import Precision

from ...table import Table

table = Table()
Fold = Callable[[Value], Value]
WIDER = {Precision.FLOAT16: Precision.FLOAT32, Precision.BFLOAT16: Precision.FLOAT32}


def _reduction(name: str, since: int, body: Callable[[Value, Fold], Value], operator: Fold) -> None:
    """The versions of a reduction: the axes are an attribute before opset `since`, then an input.

    `body` makes the result with a function that folds the axes by `operator`.
    """

    @table.convert(name)
    def old(data: Value, *, axes: tuple[int, ...] = (), keepdims: bool = True) -> Value:
        return convert(data, _constant(data, axes), keepdims=keepdims)

    @table.convert(name, since=since)
    def convert(
        data: Value,
        axes: Value | None = None,
        *,
        keepdims: bool = True,
        noop_with_empty_axes: bool = False,
    ) -> Value:
        if noop_with_empty_axes and (axes is None or _is_empty(axes)):
            return body(data, unary.assign)
        chosen = _constant(data, ()) if axes is None else axes
        return body(data, lambda x: operator(x, chosen, keepdim=keepdims))  # type: ignore[call-arg]


def _constant(data: Value, axes: tuple[int, ...]) -> Value:
    return data.model.constant(np.array(axes, np.int64))


def _is_empty(axes: Value) -> bool:
    if isinstance(axes.shape[0] if axes.shape else 1, Expr):
        raise NotConstant("a reduction with noop_with_empty_axes needs to know how many axes")
    return length_of(axes) == 0


def _through(x: Value, body: Fold, wide: dict[Precision, Precision]) -> Value:
    """`body` computed in a wider precision and rounded once."""
    to = Precision.FLOAT64 if x.is_integer else wide.get(x.precision, x.precision)
    if to == x.precision:
        return body(x)
    return unary.cast(body(unary.cast(x, dtype=to)), dtype=x.precision)


def _log_sum(x: Value, fold: Fold) -> Value:
    return _through(x, lambda y: unary.log(fold(y)), {})


def _log_sum_exp(x: Value, fold: Fold) -> Value:
    return _through(x, fold, {})


def _l2(x: Value, fold: Fold) -> Value:
    return _through(x, lambda y: unary.sqrt(fold(unary.square(y))), WIDER)


def _plain(x: Value, fold: Fold) -> Value:
    return fold(x)


_reduction("ReduceL1", 18, lambda x, fold: fold(abs(x)), reduce.reduce_sum)
_reduction("ReduceL2", 18, _l2, reduce.reduce_sum)
_reduction("ReduceLogSum", 18, _log_sum, reduce.reduce_sum)
_reduction("ReduceLogSumExp", 18, _log_sum_exp, reduce.reduce_log_sum_exp)
_reduction("ReduceMax", 18, _plain, reduce.reduce_max)
_reduction("ReduceMean", 18, _plain, reduce.reduce_mean)
_reduction("ReduceMin", 18, _plain, reduce.reduce_min)
_reduction("ReduceProd", 18, _plain, reduce.reduce_prod)
_reduction("ReduceSum", 13, _plain, reduce.reduce_sum)
_reduction("ReduceSumSquare", 18, lambda x, fold: fold(unary.square(x)), reduce.reduce_sum)


def _position(name: str, operator: Callable[..., Value]) -> None:
    @table.convert(name)
    def convert(data: Value, *, axis: int = 0, keepdims: bool = True) -> Value:
        return operator(data, axis=axis, keepdim=keepdims)

    @table.convert(name, since=12)
    def convert_12(
        data: Value, *, axis: int = 0, keepdims: bool = True, select_last_index: bool = False
    ) -> Value:
        if not select_last_index:
            return convert(data, axis=axis, keepdims=keepdims)
        backwards = index.slice_(data, [axis], [-1], [np.iinfo(np.int64).min], [-1])
        position = convert(backwards, axis=axis, keepdims=keepdims)
        return _last(data, axis) - position


def _last(data: Value, axis: int) -> Value:
    """The last position along an axis."""
    k = axis_of(axis, data.rank)
    size = data.shape[k]
    if not isinstance(size, Expr):
        return data.model.constant(size - 1, np.int64)
    sizes = shape.shape(data, dtype=Precision.INT64)
    return index.gather(sizes, data.model.constant(k, np.int64), axis=0) - 1


_position("ArgMax", reduce.arg_max)
_position("ArgMin", reduce.arg_min)


@table.convert("CumSum", since=11)
def cum_sum(x: Value, axis: Value, *, exclusive: bool = False, reverse: bool = False) -> Value:
    return reduce.cum_sum(x, axis, exclusive=exclusive, reverse=reverse)


@table.convert("CumProd", since=26)
def cum_prod(x: Value, axis: Value, *, exclusive: bool = False, reverse: bool = False) -> Value:
    return reduce.cum_prod(x, axis, exclusive=exclusive, reverse=reverse)
