"""Negative zeros, found without their bits."""

from __future__ import annotations

from ..model import Operation, Value
from ..ops import compare, logic, unary
from ..recipes.unary import SAME_SIZE
from .matching import ANY, Number, Variable, node, rule


def _is_lowest(value: Value) -> bool:
    """Whether all elements have their sign bit set and no other."""
    known = value.constant
    return (
        known is not None
        and known.dtype.kind == "i"
        and bool((known << 1 == 0).all() and (known < 0).all())
    )


x = Variable("x", where=lambda value: value.is_float)
lowest = Variable("lowest", where=_is_lowest)

BITS = node(unary.bit_cast, x, name="bits", attributes=ANY)
IS_ZERO = node(compare.equal, x, Number(0), name="zero")


@rule(
    node(
        logic.and_,
        IS_ZERO,
        node(compare.less, BITS | node(logic.bitwise_and, BITS, lowest), Number(0)),
    ),
    where=lambda x, bits: bits.attributes["dtype"] == SAME_SIZE.get(x.dtype.itemsize),
)
def find_negative_zeros(x: Value, zero: Operation) -> Value:
    """Write x == 0 and the sign bit of x, as Keras does before every ARG_MAX, with 1 / x < 0."""
    return zero.outputs[0] & (1 / x < 0)
