"""Elementwise arithmetic on two tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import binary
from nnir.types import Fuse

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings()


def fused(g: Emitter, result: Ref, fuse_code: Fuse) -> Ref:
    """The activation of a fuse code."""
    high = {Fuse.RELU1: 1, Fuse.RELU6: 6}
    match fuse_code:
        case Fuse.NONE:
            return result
        case Fuse.RELU:
            return g.node("Relu", result)
        case Fuse.RELU1 | Fuse.RELU6:
            dtype = result.precision.dtype
            bounds = [g.constant(np.array(b, dtype)) for b in (0, high[fuse_code])]
            return g.node("Clip", result, *bounds)
    raise NoLowering(f"fuse code {fuse_code!r}")


def _same(operator: Operator, name: str) -> None:
    @table.lower(operator)
    def lower(g: Emitter, input0: Value, input1: Value, *, fuse_code: Fuse) -> Any:
        return fused(g, g.node(name, input0, input1), fuse_code)


for _operator, _name in {
    binary.add: "Add",
    binary.div: "Div",
    binary.max_: "Max",
    binary.min_: "Min",
    binary.mul: "Mul",
    binary.pow_: "Pow",
    binary.sub: "Sub",
}.items():
    _same(_operator, _name)
