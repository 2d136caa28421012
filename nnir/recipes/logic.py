"""Shifts of bits."""

from __future__ import annotations

import numpy as np

from ..model import Value
from ..ops import activation


def clamp_shift(x: Value, y: Value) -> Value:
    """How far TensorFlow shifts: what lies outside the width counts as its ends."""
    lowest, highest = (
        x.model.constant(np.array(n, x.dtype)) for n in (0, 8 * x.dtype.itemsize - 1)
    )
    return activation.clip(y, lowest, highest)
