"""TensorFlow's comparisons and selection."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
