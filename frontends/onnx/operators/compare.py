"""ONNX comparisons and selection by a mask."""

from __future__ import annotations

from nnir.ops import compare

from ...table import Table
from .binary import register_broadcasting

table = Table()
register_broadcasting(
    table, {"Equal": compare.equal, "Greater": compare.greater, "Less": compare.less}
)
table.same({"GreaterOrEqual": compare.greater_equal, "LessOrEqual": compare.less_equal}, since=12)
table.same({"Where": compare.where}, since=9)
