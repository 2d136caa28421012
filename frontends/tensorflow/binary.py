"""TensorFlow's arithmetic on two tensors."""

from __future__ import annotations

from ..table import Table

table = Table()
