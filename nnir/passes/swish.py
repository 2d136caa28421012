"""x * sigmoid(x) as one operation."""

from __future__ import annotations

from ..model import Value
from ..ops import activation
from .matching import Variable, node, rule

x = Variable("x")


@rule(x * node(activation.sigmoid, x))
def fuse_swish(x: Value) -> Value:
    """Write x * sigmoid(x) as SWISH."""
    return activation.swish(x)
