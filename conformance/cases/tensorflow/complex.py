"""TensorFlow's complex tensors."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
