"""Tensors made from numbers and the sizes of others."""

from __future__ import annotations

import numpy as np

from ..model import Value
from ..ops import generate


def constant_like(x: Value, number: int) -> Value:
    """A tensor of the sizes and the type of `x` with one number everywhere."""
    element = x.model.constant(number, x.dtype)
    if not x.rank:
        return element
    if x.is_static:
        return generate.fill(x.model.constant(np.array(x.shape, np.int64)), element)
    return generate.fill_like(x, element)
