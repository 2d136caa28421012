"""TensorFlow's reductions of segments."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
