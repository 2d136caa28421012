"""Random numbers from a seed."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
