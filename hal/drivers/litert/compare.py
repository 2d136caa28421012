"""Comparisons and selection by a mask."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import compare
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()


def ordered_bits(g: Emitter, input: Value) -> Ref:
    """UINT64 as INT64 of the same order: both begin with the lowest."""
    bits = g.same_bits(g.take(input), Precision.INT64)
    lowest = g.constant(np.iinfo(np.int64).min, np.int64)
    return bits.seen_as(Precision.INT64) + lowest


def comparable(g: Emitter, input: Value) -> Ref:
    """An operand as kernels compare it."""
    return ordered_bits(g, input) if input.precision == Precision.UINT64 else g.take(input)


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
    pair = [comparable(g, v) for v in (input0, input1)]
    return g.elementwise(name, *pair, precision=Precision.BOOL8)


@table.lower(compare.where)
def where(g: Emitter, condition: Value, input0: Value, input1: Value) -> Ref:
    return g.where(condition, input0, input1)
