"""Matrix products."""

from __future__ import annotations

from ..decomposition import Level
from ..model import Value
from ..ops import linear
from ..recipes.contraction import contract


@linear.einsum.decomposes(level=Level.ROUNDING)
def _einsum(*input: Value, equation: str) -> Value:
    labels, result = linear.terms(equation, [v.rank for v in input])
    return contract(input, labels, result)
