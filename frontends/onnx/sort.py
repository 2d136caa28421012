"""ONNX ordering: the largest elements, unique elements."""

from __future__ import annotations

from ..table import Table

table = Table()
