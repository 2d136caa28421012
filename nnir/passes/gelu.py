"""The erf form of GELU as one operation."""

from __future__ import annotations

import math

from ..model import Value
from ..ops import activation, unary
from .matching import Form, Variable, node, rule

ROOT = math.sqrt(2)

x = Variable("x", where=lambda value: value.is_float)


def _scale(value: Form, factor: float) -> Form:
    """`value * factor`, or the same as a quotient."""
    return value * factor | value / (1 / factor)


GATE = node(unary.erf, _scale(x, 1 / ROOT)) + 1 | node(
    unary.erfc, _scale(x, -1 / ROOT) | _scale(-x, 1 / ROOT) | _scale(-x, -1 / ROOT)
)
"""1 + erf(x / sqrt(2)), which is erfc(-x / sqrt(2))."""


@rule(x * 0.5 * GATE | x * GATE * 0.5 | x * (GATE * 0.5))
def fuse_gelu(x: Value) -> Value:
    """Write x/2 * (1 + erf(x / sqrt 2)) as GELU."""
    return activation.gelu(x)
