"""TensorFlow's comparisons and selection."""

from __future__ import annotations

from ..table import Table

table = Table()
