"""Comparisons and selection by a mask."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import compare
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()


def comparable(g: Emitter, input: Value) -> Ref:
    """An operand as kernels compare it: UINT64 as INT64 of the same order."""
    if input.precision != Precision.UINT64:
        return g.take(input)
    bits = g.same_bits(g.take(input), Precision.INT64)
    return bits.seen_as(Precision.INT64) + np.iinfo(np.int64).min


@table.each(
    {
        compare.equal: "EQUAL",
        compare.not_equal: "NOT_EQUAL",
        compare.greater: "GREATER",
        compare.greater_equal: "GREATER_EQUAL",
        compare.less: "LESS",
        compare.less_equal: "LESS_EQUAL",
    }
)
def _same(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    return g.elementwise(name, comparable(g, input0), comparable(g, input1))


@table.lower(compare.where)
def where(g: Emitter, condition: Value, input0: Value, input1: Value) -> Ref:
    return g.where(condition, input0, input1)
