"""ONNX taking and putting elements by position."""

from __future__ import annotations

from ..table import Table

table = Table()
