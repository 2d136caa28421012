"""TensorFlow's lists of tensors, as loops use them."""

from __future__ import annotations

from ..table import Table

table = Table()
