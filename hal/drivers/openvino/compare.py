"""Comparisons and selection by a mask."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import compare
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .integers import wide

table = Lowerings[Ref]()


def plain(g: Emitter, input: Value) -> Ref:
    """Truth values as integers, whose order OpenVINO knows."""
    return g.cast(input, Precision.INT32) if input.precision == Precision.BOOL8 else wide(g, input)


@table.each(
    {
        compare.equal: "Equal",
        compare.less: "Less",
        compare.less_equal: "LessEqual",
        compare.not_equal: "NotEqual",
    }
)
def _same(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    return g.pair(name, plain(g, input0), plain(g, input1))


@table.each({compare.greater: "Less", compare.greater_equal: "LessEqual"})
def _register_exchanged(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    """The other way round: OpenVINO's own hold for NaN."""
    return g.pair(name, plain(g, input1), plain(g, input0))


@table.lower(compare.where)
def where(g: Emitter, condition: Value, input0: Value, input1: Value) -> Ref:
    return g.where(condition, input0, input1)
