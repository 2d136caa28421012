"""TensorFlow's recurrent layers."""

from __future__ import annotations

from ..table import Table

table = Table()
