"""TensorFlow 1's arrays of tensors: only whole models show them, as one operator is no case."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
