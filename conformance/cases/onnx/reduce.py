"""ONNX reductions and running sums along axes."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
