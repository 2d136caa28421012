"""FLOAT64 between numbers that FLOAT32 holds."""

from __future__ import annotations

import numpy as np

from ..model import Operation, Value
from ..ops import binary, unary
from ..types import Precision
from .matching import ANY, Variable, node, rule

ARITHMETIC = (binary.add, binary.sub, binary.mul, binary.div)


def _is_single(value: Value) -> bool:
    """Whether FLOAT32 holds a value of FLOAT64: a constant, or a size, which is below 2^24."""
    known = value.constant
    if known is not None:
        return known.size == 1 and float(np.float32(known.item())) == known.item()
    maker = value.producer
    if maker is None or maker.operator is not unary.cast or maker.inputs[0] is None:
        return False
    return maker.inputs[0].content is not None


def _narrow(value: Value) -> Value:
    if value.constant is not None:
        return value.model.constant(value.constant.astype(np.float32))
    maker = value.producer
    assert maker is not None  # noqa: S101  for types
    return unary.cast(maker.inputs[0], dtype=Precision.FLOAT32)


def _is_rounded(cast: Operation, left: Value, right: Value) -> bool:
    kinds = {left.precision, right.precision}
    is_narrow = cast.attributes["dtype"] == Precision.FLOAT32
    return is_narrow and kinds == {Precision.FLOAT64} and _is_single(left) and _is_single(right)


@rule(
    node(
        unary.cast,
        node(ARITHMETIC, Variable("left"), Variable("right"), name="made"),
        name="cast",
        attributes=ANY,
    ),
    where=_is_rounded,
)
def narrow_doubles(made: Operation, left: Value, right: Value) -> Value:
    """Compute in FLOAT32 what is rounded to it: of two numbers that it holds, a sum, difference,
    product or quotient that is rounded twice is the one that is rounded once.

    PyTorch's exports compute with sizes in FLOAT64, which few engines have.
    """
    operands = (_narrow(v) for v in made.inputs if v is not None)
    return made.operator(*operands)
