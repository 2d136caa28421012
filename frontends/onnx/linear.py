"""ONNX matrix products and linear algebra."""

from __future__ import annotations

from ..table import Table

table = Table()
