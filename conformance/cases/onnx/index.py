"""ONNX taking and putting elements by position."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
