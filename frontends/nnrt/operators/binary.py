"""NNRt's arithmetic. Two element types become the wider one; then an activation may follow."""

from __future__ import annotations

from nnir.recipes.nnrt import binary

from ...table import Table

table = Table()
table.same(binary.RECIPES)
