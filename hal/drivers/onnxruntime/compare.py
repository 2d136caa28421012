"""Comparisons and selection by a mask."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
