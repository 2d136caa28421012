"""NNRt's slices, and elements by their positions."""

from __future__ import annotations

from nnir.recipes.nnrt import index

from ...table import Table

table = Table()
table.same(index.RECIPES)
