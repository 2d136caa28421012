"""TensorFlow's reductions."""

from __future__ import annotations

from ..table import Table

table = Table()
