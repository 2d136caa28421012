"""Comparisons, and choices between two tensors."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import compare

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
table.natives(
    {
        compare.equal: "EQUAL",
        compare.greater: "GREATER",
        compare.greater_equal: "GREATER_EQUAL",
        compare.less: "LESS",
        compare.less_equal: "LESS_EQUAL",
        compare.not_equal: "NOT_EQUAL",
    }
)


@table.lower(compare.where)
def where(g: Emitter, condition: Value, input0: Value, input1: Value) -> Ref:
    return g.where(condition, input0, input1)
