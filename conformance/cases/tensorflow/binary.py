"""TensorFlow's arithmetic on two tensors."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
