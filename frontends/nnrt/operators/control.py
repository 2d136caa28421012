"""NNRt's assertion."""

from __future__ import annotations

from nnir.recipes.nnrt import control

from ...table import Table

table = Table()
table.same(control.RECIPES)
