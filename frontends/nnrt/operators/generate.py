"""NNRt's tensors that are made of numbers."""

from __future__ import annotations

from nnir.recipes.nnrt import generate

from ...table import Table

table = Table()
table.same(generate.RECIPES)
