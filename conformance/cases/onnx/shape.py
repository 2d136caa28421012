"""ONNX operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
