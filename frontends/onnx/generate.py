"""ONNX tensors made from sizes and values."""

from __future__ import annotations

from ..table import Table

table = Table()
