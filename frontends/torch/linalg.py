"""ATen linear algebra: factorisations and solutions."""

from __future__ import annotations

from ..table import Table

table = Table()
