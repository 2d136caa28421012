"""ONNX resizing and sampling at positions."""

from __future__ import annotations

from ..table import Table

table = Table()
