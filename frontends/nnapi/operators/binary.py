"""NNAPI's sums and products."""

from __future__ import annotations

from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import binary

from ...table import Table
from .fused import activate

table = Table()


@table.each({"ADD": binary.add, "MUL": binary.mul})
def _arithmetic(operator: Operator, input0: Value, input1: Value, *, fuse_code: int) -> Value:
    return activate(operator(input0, input1), fuse_code)
