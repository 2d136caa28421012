"""TensorFlow's linear algebra."""

from __future__ import annotations

from ..table import Table

table = Table()
