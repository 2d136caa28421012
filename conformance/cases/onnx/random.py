"""ONNX random numbers from a seed."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
