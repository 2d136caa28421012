"""TensorFlow's products of matrices."""

from __future__ import annotations

from ..table import Table

table = Table()
