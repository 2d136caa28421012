"""NNRt's operations on truth values."""

from __future__ import annotations

from ...model import Value
from ...ops import logic
from . import Recipes


def logical_and(input1: Value, input2: Value) -> Value:
    """Both."""
    return logic.and_(input1, input2)


def logical_or(input1: Value, input2: Value) -> Value:
    """One of them at least."""
    return logic.or_(input1, input2)


RECIPES: Recipes = {
    "LOGICAL_AND": logical_and,
    "LOGICAL_NOT": logic.not_,
    "LOGICAL_OR": logical_or,
}
