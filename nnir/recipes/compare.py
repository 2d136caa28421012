"""Selection between two tensors."""

from __future__ import annotations

from ..model import Value
from ..ops import compare, shape


def select_rows(condition: Value, t: Value, e: Value) -> Value:
    """A vector chooses rows; otherwise the shapes are equal, or the condition has no axes."""
    if condition.rank == 1 and t.rank > 1:
        condition = shape.unsqueeze(condition, list(range(1, t.rank)))
    return compare.where(condition, t, e)
