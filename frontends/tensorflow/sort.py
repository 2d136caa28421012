"""TensorFlow's sorting and searching."""

from __future__ import annotations

from ..table import Table

table = Table()
