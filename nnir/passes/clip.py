"""Bounds that are an activation of the standard."""

from __future__ import annotations

import numpy as np

from ..model import Value
from ..ops import activation
from .matching import Variable, node, rule

ACTIVATIONS = {6.0: activation.relu6, np.inf: activation.relu}
"""Activations of the standard that are 0 below 0, by their upper bound."""

X = Variable("x", where=lambda value: value.is_float)
LOW = Variable("low", where=lambda value: _number(value) == 0)
HIGH = Variable("high", where=lambda value: _number(value) in ACTIVATIONS)


def _number(value: Value) -> float | None:
    """A bound that is known; what no number exceeds is infinite."""
    if value.constant is None or value.constant.size != 1:
        return None
    number = float(value.constant.reshape(-1)[0])
    is_largest = value.precision.name == "FLOAT32" and number == np.finfo(np.float32).max
    return np.inf if is_largest else number


@rule(node(activation.clip, X, LOW, HIGH))
def name_clips(x: Value, high: Value) -> Value:
    """Write a CLIP to [0, 6] as RELU6, and one without an upper bound as RELU."""
    return ACTIVATIONS[_number(high) or 0.0](x)
