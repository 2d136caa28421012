"""TensorFlow's products of matrices."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
