"""NNRt's operations on truth values."""

from __future__ import annotations

from nnir.recipes.nnrt import logic

from ...table import Table

table = Table()
table.same(logic.RECIPES)
