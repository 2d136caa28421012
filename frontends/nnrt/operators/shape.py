"""NNRt's operations that change how elements are arranged."""

from __future__ import annotations

from nnir.recipes.nnrt import shape

from ...table import Table

table = Table()
table.same(shape.RECIPES)
