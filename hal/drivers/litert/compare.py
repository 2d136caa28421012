"""Comparisons and selection by a mask."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from nnir.model import Value
from nnir.ops import compare
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Taken

table = Lowerings[Ref]()


def take_comparable(g: Emitter, operand: Value) -> Ref:
    """An operand as kernels compare it: UINT64 as INT64 of the same order."""
    ref = g.take(operand)
    if ref.precision != Precision.UINT64:
        return ref
    return g.same_bits(ref, Precision.INT64) + np.iinfo(np.int64).min


Comparable = Annotated[Ref, take_comparable]


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
def _same(g: Emitter, name: str, input0: Comparable, input1: Comparable) -> Ref:
    return g.elementwise(name, input0, input1)


@table.lower(compare.where)
def where(g: Emitter, condition: Taken, input0: Taken, input1: Taken) -> Ref:
    return g.where(condition, input0, input1)
