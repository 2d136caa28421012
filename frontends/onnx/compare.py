"""ONNX comparisons and selection by a mask."""

from __future__ import annotations

from ..table import Table

table = Table()
