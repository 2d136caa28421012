"""TensorFlow's lists of tensors, as loops use them."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
