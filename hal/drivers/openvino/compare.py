"""Comparisons and selection by a mask."""

from __future__ import annotations

import numpy as np

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


def order_of(g: Emitter, input: Value) -> Ref:
    """Numbers in an order that OpenVINO knows: those of UINT32 are integers of 32 bits to it, whose
    highest bit is the sign."""
    if input.precision == Precision.UINT32:
        return g.cast(input, Precision.INT32) ^ np.iinfo(np.int32).min
    return plain(g, input)


@table.each({compare.equal: "Equal", compare.not_equal: "NotEqual"})
def _equal(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    return g.pair(name, plain(g, input0), plain(g, input1))


@table.each({compare.less: "Less", compare.less_equal: "LessEqual"})
def _less(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    return g.pair(name, order_of(g, input0), order_of(g, input1))


@table.each({compare.greater: "Less", compare.greater_equal: "LessEqual"})
def _register_exchanged(g: Emitter, name: str, input0: Value, input1: Value) -> Ref:
    """The other way round: OpenVINO's own hold for NaN."""
    return g.pair(name, order_of(g, input1), order_of(g, input0))


@table.lower(compare.where)
def where(g: Emitter, condition: Value, input0: Value, input1: Value) -> Ref:
    return g.where(condition, input0, input1)
