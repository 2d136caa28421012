"""ONNX resizing and sampling at positions."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
