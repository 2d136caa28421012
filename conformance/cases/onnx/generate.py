"""ONNX tensors made from sizes and values."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
