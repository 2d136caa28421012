"""TensorFlow's operators that make tensors."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
