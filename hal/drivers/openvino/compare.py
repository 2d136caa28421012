"""Comparisons and selection by a mask."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import compare

from .emitter import Emitter, Ref
from .forms import Table
from .orders import Ordered, Told

table = Table()


@table.each({compare.equal: "==", compare.not_equal: "!="})
def _tell(g: Emitter, symbol: str, input0: Told, input1: Told) -> Ref:
    return input0.apply(symbol, input0, input1)


@table.each(
    {
        compare.greater: ">",
        compare.greater_equal: ">=",
        compare.less: "<",
        compare.less_equal: "<=",
    }
)
def _compare(g: Emitter, symbol: str, input0: Ordered, input1: Ordered) -> Ref:
    return input0.apply(symbol, input0, input1)


@table.lower(compare.where)
def where(g: Emitter, condition: Value, input0: Value, input1: Value) -> Ref:
    return g.where(condition, input0, input1)
