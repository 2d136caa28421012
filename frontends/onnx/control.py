"""ONNX control flow over sub-models."""

from __future__ import annotations

from ..table import Table

table = Table()
