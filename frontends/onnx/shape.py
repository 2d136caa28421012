"""ONNX operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from ..table import Table

table = Table()
