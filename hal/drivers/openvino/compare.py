"""Comparisons and selection by a mask."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import compare
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .integers import wide

table = Lowerings[Ref]()


def plain(g: Emitter, input: Value) -> Ref:
    """Truth values as integers, whose order OpenVINO knows."""
    return g.cast(input, Precision.INT32) if input.precision == Precision.BOOL8 else wide(g, input)


def _same(operator: Operator, name: str) -> None:
    @table.lower(operator)
    def lower(g: Emitter, input0: Value, input1: Value) -> Ref:
        return g.pair(name, plain(g, input0), plain(g, input1))


for _operator, _name in {
    compare.equal: "Equal",
    compare.less: "Less",
    compare.less_equal: "LessEqual",
    compare.not_equal: "NotEqual",
}.items():
    _same(_operator, _name)


def _turned(operator: Operator, name: str) -> None:
    @table.lower(operator)
    def lower(g: Emitter, input0: Value, input1: Value) -> Ref:
        """The other way round: OpenVINO's own hold for NaN."""
        return g.pair(name, plain(g, input1), plain(g, input0))


_turned(compare.greater, "Less")
_turned(compare.greater_equal, "LessEqual")


@table.lower(compare.where)
def where(g: Emitter, condition: Value, input0: Value, input1: Value) -> Ref:
    return g.where(condition, input0, input1)
