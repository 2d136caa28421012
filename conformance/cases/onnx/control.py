"""ONNX control flow over sub-models."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
