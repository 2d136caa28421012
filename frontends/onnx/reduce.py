"""ONNX reductions and running sums along axes."""

from __future__ import annotations

from ..table import Table

table = Table()
