"""ONNX comparisons and selection by a mask."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
