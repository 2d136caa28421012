"""Numbers that programs give as tensors of one element, often of floats."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import shape
from nnir.types import Precision

from ..precision import cast_to


def whole(x: Value) -> Value:
    """A size or a count as int64 without axes."""
    if x.known is not None and x.known.size == 1:
        return x.model.constant(np.int64(x.known.item()))
    wide = cast_to(x, Precision.INT64)
    return shape.reshape(wide, []) if wide.rank else wide
