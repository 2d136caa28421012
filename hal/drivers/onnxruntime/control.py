"""Control flow over sub-models."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
