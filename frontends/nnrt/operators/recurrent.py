"""NNRt's LSTM: layers over time, whose gates are input, forget, cell and output."""

from __future__ import annotations

from nnir.recipes.nnrt import recurrent

from ...table import Table

table = Table()
table.same(recurrent.RECIPES)
