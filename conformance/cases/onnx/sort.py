"""ONNX ordering: the largest elements, unique elements."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
