"""NNRt's activations."""

from __future__ import annotations

from nnir.recipes.nnrt import activation

from ...table import Table

table = Table()
table.same(activation.RECIPES)
