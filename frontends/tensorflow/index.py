"""TensorFlow's indexing and slicing."""

from __future__ import annotations

from ..table import Table

table = Table()
