"""NNRt's elementwise operations on one tensor."""

from __future__ import annotations

from nnir.recipes.nnrt import unary

from ...table import Table

table = Table()
table.same(unary.RECIPES)
