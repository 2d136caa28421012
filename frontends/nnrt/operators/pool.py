"""NNRt's pools of images with channels last."""

from __future__ import annotations

from nnir.recipes.nnrt import pool

from ...table import Table

table = Table()
table.same(pool.RECIPES)
