"""ONNX sequences and optionals, resolved while converting."""

from __future__ import annotations

from ..table import Table

table = Table()
