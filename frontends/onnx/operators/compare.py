"""ONNX comparisons and selection by a mask."""

from __future__ import annotations

from nnir.ops import compare

from ...table import Table
from .binary import broadcasting

table = Table()
for _name, _operator in {
    "Equal": compare.equal,
    "Greater": compare.greater,
    "Less": compare.less,
}.items():
    broadcasting(table, _name, _operator)
table.same({"GreaterOrEqual": compare.greater_equal, "LessOrEqual": compare.less_equal}, since=12)
table.same({"Where": compare.where}, since=9)
