"""Reductions and running sums along axes."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
