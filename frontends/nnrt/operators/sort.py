"""NNRt's largest elements."""

from __future__ import annotations

from nnir.recipes.nnrt import sort

from ...table import Table

table = Table()
table.same(sort.RECIPES)
