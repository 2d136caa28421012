"""Operators on truth values."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import logic

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
table.natives({logic.and_: "LOGICAL_AND", logic.or_: "LOGICAL_OR", logic.not_: "LOGICAL_NOT"})


@table.lower(logic.xor)
def xor(g: Emitter, input0: Value, input1: Value) -> Ref:
    return g.elementwise("NOT_EQUAL", input0, input1)
