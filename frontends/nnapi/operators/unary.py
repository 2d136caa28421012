"""NNAPI's functions of single numbers."""

from __future__ import annotations

from nnir.ops import unary

from ...table import Table

table = Table()
table.same({"FLOOR": unary.floor})
