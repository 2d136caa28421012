"""NNRt's comparisons, and choices between two tensors."""

from __future__ import annotations

from nnir.recipes.nnrt import compare

from ...table import Table

table = Table()
table.same(compare.RECIPES)
