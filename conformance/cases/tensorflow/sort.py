"""TensorFlow's sorting and searching."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
