"""TensorFlow's reductions of segments."""

from __future__ import annotations

from ..table import Table

table = Table()
