"""Comparisons and selection by a mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import compare

from ...lowering import Lowerings
from .emitter import Emitter, Result

table = Lowerings[Result]()

FUNCTIONS: dict[Operator, Callable[[Any, Any], Any]] = {
    compare.equal: torch.eq,
    compare.not_equal: torch.ne,
    compare.greater: torch.gt,
    compare.greater_equal: torch.ge,
    compare.less: torch.lt,
    compare.less_equal: torch.le,
}


def _lowering_of(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def lowering(g: Emitter, input0: Value, input1: Value) -> Result:
        return function(g.ordered(input0), g.ordered(input1))

    return lowering


for operator, function in FUNCTIONS.items():
    table.lower(operator)(_lowering_of(function))


@table.lower(compare.where)
def where(g: Emitter, condition: Value, input0: Value, input1: Value) -> Result:
    result = torch.where(g.raw(condition), g.bits(input0), g.bits(input1))
    return g.unbits(result, input0.precision)
