"""Attention and its parts."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
