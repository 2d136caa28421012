"""Arithmetic that changes nothing, and axes that are added one by one."""

from __future__ import annotations

from collections.abc import Callable

from ..broadcast import axis_of, ints
from ..model import Value
from ..ops import logic, shape, unary
from .matching import ANY, Variable, node, rule

FEW = 16
"""So many elements are looked at sooner one by one than as an array."""


def _constant(number: float, where: Callable[[Value], bool] = lambda value: True) -> Variable:
    """A constant all of whose elements are `number`."""

    def holds(value: Value) -> bool:
        known = value.constant
        if known is None or known.dtype.kind not in "iufb" or not where(value):
            return False
        if known.size and known.item(0) != number:  # as nearly always, and quick to see
            return False
        if known.size <= FEW:
            return set(known.ravel().tolist()) <= {number}
        return bool((known == number).all())

    return Variable(f"all {number}", where=holds)


kept = Variable("kept", where=lambda value: value.constant is None)
ONE = _constant(1)
FALSE = _constant(0)
ZERO = _constant(0, where=lambda value: value.is_integer)
"""Of integers: a float -0.0 would become 0.0."""


@rule(
    kept + ZERO
    | kept - ZERO
    | kept * ONE
    | kept / ONE
    | node(logic.and_, kept, ONE)
    | node(logic.or_, kept, FALSE)
    | node(unary.cast, kept, attributes=ANY),
    where=lambda kept, result: kept.type == result.type,
)
def remove_identities(kept: Value) -> Value:
    """Remove x + 0 of integers, x * 1, x / 1, x and True, x or False and casts that are none,
    where the result has the type of the operand."""
    return kept


first, inner, outer = (Variable(n) for n in ("first", "inner", "outer"))


@rule(
    node(shape.unsqueeze, node(shape.unsqueeze, first, inner), outer),
    where=lambda inner, outer: ints(inner) is not None and ints(outer) is not None,
)
def join_unsqueezes(first: Value, inner: Value, outer: Value, result: Value) -> Value:
    """Add the axes of two UNSQUEEZE at once."""
    between, total = first.rank + len(ints(inner) or ()), result.rank
    added = {axis_of(a, total) for a in ints(outer) or ()}
    left = [k for k in range(total) if k not in added]
    added |= {left[axis_of(a, between)] for a in ints(inner) or ()}
    return shape.unsqueeze(first, sorted(added))
