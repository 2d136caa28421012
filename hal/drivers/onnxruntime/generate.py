"""Tensors made from sizes and values."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
