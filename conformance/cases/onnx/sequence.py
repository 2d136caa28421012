"""ONNX sequences and optionals, resolved while converting."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
