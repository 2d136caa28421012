"""Legacy operators of linear algebra."""

from __future__ import annotations

from .rule import Rules, same

RULES = Rules()
RULES.same("eigh", "eigvalsh", "qr", "svd", "solve", "triangular_solve", "cholesky_solve")
RULES["inverse"] = same("inverse", {"Input": "x"})
RULES["determinant"] = same("det", {"Input": "x"})
