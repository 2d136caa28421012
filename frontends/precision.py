"""Casts that cost nothing where they change nothing."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision


def cast_to(x: Value, to: Precision) -> Value:
    """`x` in another precision; itself where that changes nothing."""
    if x.precision == to:
        return x
    if x.constant is not None and x.constant.size == 1:
        return x.model.constant(x.constant.astype(to.dtype))
    return unary.cast(x, dtype=to)
