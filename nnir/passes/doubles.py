"""FLOAT64 between numbers that FLOAT32 holds."""

from __future__ import annotations

import numpy as np

from ..model import Operation, Value
from ..ops import binary, compare, unary
from ..types import Precision
from .matching import ANY, Variable, node, rule

ARITHMETIC = (binary.add, binary.sub, binary.mul, binary.div)
COMPARISONS = (
    *(compare.equal, compare.not_equal, compare.less, compare.less_equal),
    *(compare.greater, compare.greater_equal),
)
EXACT = frozenset(
    {
        *(Precision.FLOAT32, Precision.FLOAT16, Precision.BFLOAT16, Precision.BOOL8),
        *(Precision.INT8, Precision.UINT8, Precision.INT16, Precision.UINT16),
    }
)
"""Precisions whose numbers FLOAT32 holds."""


def _is_single(value: Value) -> bool:
    """Whether FLOAT32 holds a value of FLOAT64: a constant, what was made of a narrower type, or
    a size, which is below 2^24."""
    known = value.constant
    if known is not None:
        return known.size == 1 and float(np.float32(known.item())) == known.item()
    maker = value.producer
    if maker is None or maker.operator is not unary.cast or maker.inputs[0] is None:
        return False
    return maker.inputs[0].precision in EXACT or maker.inputs[0].content is not None


def _narrow(value: Value) -> Value:
    if value.constant is not None:
        return value.model.constant(value.constant.astype(np.float32))
    maker = value.producer
    assert maker is not None  # noqa: S101  for types
    made = maker.inputs[0]
    if made is not None and made.precision == Precision.FLOAT32:
        return made
    return unary.cast(made, dtype=Precision.FLOAT32)


def _are_single(made: Operation) -> bool:
    operands = [v for v in made.inputs if v is not None]
    kinds = {v.precision for v in operands}
    return kinds == {Precision.FLOAT64} and all(map(_is_single, operands))


def _is_rounded(cast: Operation, made: Operation) -> bool:
    return cast.attributes["dtype"] == Precision.FLOAT32 and _are_single(made)


def _in_single(made: Operation) -> Value:
    found: Value = made.operator(*(_narrow(v) for v in made.inputs if v is not None))
    return found


@rule(
    node(
        unary.cast,
        node(ARITHMETIC, Variable("left"), Variable("right"), name="made"),
        name="cast",
        attributes=ANY,
    ),
    where=_is_rounded,
)
def narrow_doubles(made: Operation) -> Value:
    """Compute in FLOAT32 what is rounded to it: of two numbers that it holds, a sum, difference,
    product or quotient that is rounded twice is the one that is rounded once.

    PyTorch's exports compute with sizes and with numbers of Python in FLOAT64, which few engines
    have.
    """
    return _in_single(made)


@rule(
    node(COMPARISONS, Variable("left"), Variable("right"), name="made"),
    where=_are_single,
)
def narrow_comparisons(made: Operation) -> Value:
    """Compare in FLOAT32 what it holds."""
    return _in_single(made)
