"""Ordering: the largest elements, unique elements."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
