"""TensorFlow's random numbers."""

from __future__ import annotations

from ..table import Table

table = Table()
