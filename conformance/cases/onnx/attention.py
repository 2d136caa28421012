"""ONNX attention and its parts."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
