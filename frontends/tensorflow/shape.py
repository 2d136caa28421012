"""TensorFlow's shapes."""

from __future__ import annotations

from ..table import Table

table = Table()
