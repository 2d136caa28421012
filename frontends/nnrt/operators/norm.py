"""NNRt's normalisation."""

from __future__ import annotations

from nnir.recipes.nnrt import norm

from ...table import Table

table = Table()
table.same(norm.RECIPES)
