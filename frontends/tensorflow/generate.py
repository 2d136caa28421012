"""TensorFlow's operators that make tensors."""

from __future__ import annotations

from ..table import Table

table = Table()
