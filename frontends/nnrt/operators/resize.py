"""NNRt's resizing of images with channels last."""

from __future__ import annotations

from nnir.recipes.nnrt import resize

from ...table import Table

table = Table()
table.same(resize.RECIPES)
