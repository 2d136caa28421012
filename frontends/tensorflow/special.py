"""TensorFlow's special functions."""

from __future__ import annotations

from ..table import Table

table = Table()
