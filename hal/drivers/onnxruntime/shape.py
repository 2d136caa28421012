"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
