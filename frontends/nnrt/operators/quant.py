"""NNRt's cast between quantised integers and real numbers."""

from __future__ import annotations

from nnir.recipes.nnrt import quant

from ...table import Table

table = Table()
table.same(quant.RECIPES)
