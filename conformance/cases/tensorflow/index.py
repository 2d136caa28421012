"""TensorFlow's indexing and slicing."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
