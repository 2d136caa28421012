"""NNRt's comparisons, and choices between two tensors."""

from __future__ import annotations

from collections.abc import Callable

from ...model import Value
from ...operator import Operator
from ...ops import compare
from ...types import Precision
from . import Recipes
from .activating import promote


def _compare(operator: Operator[Value]) -> Callable[..., Value]:
    def compute(input1: Value, input2: Value) -> Value:
        return operator(*promote(input1, input2))

    return compute


def select(condition: Value, input1: Value, input2: Value) -> Value:
    """The first where the condition holds, the second elsewhere; what is not 0 holds."""
    holds = condition
    if condition.precision != Precision.BOOL8:
        holds = compare.not_equal(condition, condition.scalar(0))
    return compare.where(holds, *promote(input1, input2))


RECIPES: Recipes = {
    "EQUAL": _compare(compare.equal),
    "GREATER": _compare(compare.greater),
    "GREATER_EQUAL": _compare(compare.greater_equal),
    "LESS": _compare(compare.less),
    "LESS_EQUAL": _compare(compare.less_equal),
    "NOT_EQUAL": _compare(compare.not_equal),
    "SELECT": select,
    "WHERE": select,
}
