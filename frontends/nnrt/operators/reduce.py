"""NNRt's reductions: axes, `reduce_to_end` for all behind the first, a factor for the result."""

from __future__ import annotations

from nnir.recipes.nnrt import reduce

from ...table import Table

table = Table()
table.same(reduce.RECIPES)
