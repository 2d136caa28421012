"""TensorFlow's logic on bools and bits."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
