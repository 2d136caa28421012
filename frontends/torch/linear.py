"""ATen products of matrices and vectors."""

from __future__ import annotations

from ..table import Table

table = Table()
