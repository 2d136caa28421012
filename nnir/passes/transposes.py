"""Inverse transposes."""

from __future__ import annotations

from ..model import Operation, Value
from ..ops import shape
from .matching import ANY, Variable, node, rule
from .orders import perm_of, transpose_by

PERM = {"perm": ANY}
x = Variable("x")


@rule(
    node(
        shape.transpose,
        node(shape.transpose, x, name="first", attributes=PERM),
        name="second",
        attributes=PERM,
    )
)
def cancel_transposes(x: Value, first: Operation, second: Operation) -> Value:
    """Join a transpose of a transpose; a pair that undoes itself disappears."""
    order = perm_of(first)
    return transpose_by(x, tuple(order[k] for k in perm_of(second)))
