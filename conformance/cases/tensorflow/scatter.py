"""TensorFlow's writing to places of a tensor."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
