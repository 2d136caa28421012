"""Comparisons and selection by a mask."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import compare
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
BOOL = Precision.BOOL8


def plain(g: Emitter, input: Value) -> Ref:
    """An operand in a precision that has kernels, where its own is narrower than a byte's integers
    or than 16-bit floats."""
    if input.precision < Precision.FLOAT8E4M3FN or input.dtype.kind == "c":
        return g.take(input)
    return g.cast(input, Precision.FLOAT32 if input.is_float else Precision.INT32)


@table.each(
    {
        compare.equal: "Equal",
        compare.greater: "Greater",
        compare.greater_equal: "GreaterOrEqual",
        compare.less: "Less",
        compare.less_equal: "LessOrEqual",
    }
)
def _same(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    return g.node(name, plain(g, input0), plain(g, input1), precision=BOOL)


@table.lower(compare.not_equal)
def not_equal(g: Emitter, input0: Value, input1: Value) -> Ref:
    return ~plain(g, input0).equal(plain(g, input1))


@table.lower(compare.where)
def where(g: Emitter, condition: Value, input0: Value, input1: Value) -> Ref:
    if input0.precision == BOOL:
        mask = g.take(condition)
        return mask & input0 | ~mask & input1
    return g.where(condition, plain(g, input0), plain(g, input1))
