"""ATen products of matrices and vectors."""

from __future__ import annotations

from ...case import Case

CASES: list[Case] = []
