"""ONNX random numbers from a seed."""

from __future__ import annotations

from ..table import Table

table = Table()
