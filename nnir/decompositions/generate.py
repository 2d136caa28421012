"""Tensors made from numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import build
from ..decomposition import Level
from ..errors import Unsupported
from ..model import Value
from ..ops import binary, generate, unary
from ..types import Precision


def _range_in(kind: Precision) -> Callable[[Value, Value, Value], Value]:
    """The decomposition of RANGE of real numbers whose count is found in a precision."""

    def decompose(start: Value, end: Value, step: Value) -> Value:
        if not start.is_float:
            raise Unsupported(f"a range of {start.type} by one of integers")
        wide = Precision.FLOAT64 if start.precision == Precision.FLOAT64 else Precision.FLOAT32
        first, last, by = (build.reshape(v, []).cast(wide) for v in (start, end, step))
        known = [v.known for v in (start, end, step)]
        if all(k is not None for k in known):
            line = start.model.constant(np.arange(generate.range_.reference(*known).size))
        else:
            span = (last - first).cast(kind) / by.cast(kind)
            count = unary.ceil(span).cast(Precision.INT64)
            line = generate.range_(
                [0], build.reshape(binary.max_(count, count.scalar(0)), [1]), [1]
            )
        return (line.cast(wide) * by + first).cast(start.precision)

    return decompose


for _kind in (Precision.FLOAT64, Precision.FLOAT32):  # the second where a device has no doubles
    generate.range_.decomposes(level=Level.ROUNDING)(_range_in(_kind))
