"""Comparisons and selection by a mask."""

from __future__ import annotations

from typing import Annotated

from nnir.model import Value
from nnir.ops import compare
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Taken

table = Lowerings[Ref]()


def plain(g: Emitter, input: Value) -> Ref:
    """An operand in a precision that has kernels, where its own is narrower than a byte's integers
    or than 16-bit floats."""
    if input.precision < Precision.FLOAT8E4M3FN or input.dtype.kind == "c":
        return g.take(input)
    return g.cast(input, Precision.FLOAT32 if input.is_float else Precision.INT32)


Comparable = Annotated[Ref, plain]


@table.each(
    {
        compare.equal: "Equal",
        compare.greater: "Greater",
        compare.greater_equal: "GreaterOrEqual",
        compare.less: "Less",
        compare.less_equal: "LessOrEqual",
    }
)
def _same(g: Emitter, name: str, input0: Comparable, input1: Comparable) -> Ref:
    return g.node(name, input0, input1)


@table.lower(compare.not_equal)
def not_equal(g: Emitter, input0: Comparable, input1: Comparable) -> Ref:
    return input0.unequal(input1)


@table.lower(compare.where)
def where(g: Emitter, condition: Taken, input0: Value, input1: Value) -> Ref:
    if input0.precision == Precision.BOOL8:
        return condition & input0 | ~condition & input1
    return g.where(condition, plain(g, input0), plain(g, input1))
