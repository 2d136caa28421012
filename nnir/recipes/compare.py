"""Selection between two tensors."""

from __future__ import annotations

from ..model import Value
from ..ops import compare, shape


def select_rows(condition: Value, x: Value, y: Value) -> Value:
    """A vector chooses rows; otherwise the shapes are equal, or the condition has no axes."""
    if condition.rank == 1 and x.rank > 1:
        condition = shape.unsqueeze(condition, list(range(1, x.rank)))
    return compare.where(condition, x, y)
