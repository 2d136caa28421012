"""TensorFlow's writing to places of a tensor."""

from __future__ import annotations

from ..table import Table

table = Table()
