"""Matrix products and linear algebra."""

from __future__ import annotations

from ...lowering import Lowerings

table = Lowerings()
