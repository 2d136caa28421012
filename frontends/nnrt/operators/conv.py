"""NNRt's convolutions: images with channels last, weights with output channels first."""

from __future__ import annotations

from nnir.recipes.nnrt import conv

from ...table import Table

table = Table()
table.same(conv.RECIPES)
