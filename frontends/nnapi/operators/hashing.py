"""NNAPI's projections by hashes."""

from __future__ import annotations

from nnir.recipes.hashing import project_by_hashes

from ...table import Table

table = Table()
table.convert("LSH_PROJECTION")(project_by_hashes)
