"""NNRt's boxes of what is detected."""

from __future__ import annotations

from nnir.recipes.nnrt import detection

from ...table import Table

table = Table()
table.same(detection.RECIPES)
