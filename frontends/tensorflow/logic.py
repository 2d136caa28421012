"""TensorFlow's logic on bools and bits."""

from __future__ import annotations

from ..table import Table

table = Table()
