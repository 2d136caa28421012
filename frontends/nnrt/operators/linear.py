"""NNRt's matrix products."""

from __future__ import annotations

from nnir.recipes.nnrt import linear

from ...table import Table

table = Table()
table.same(linear.RECIPES)
