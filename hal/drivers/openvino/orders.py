"""Orders of numbers that OpenVINO knows: it compares neither truth values nor UINT32, and has no
place for NaN and for infinity."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from nnir.model import Value
from nnir.types import Precision

from .emitter import Emitter, Ref
from .forms import single
from .integers import wide


def tell(g: Emitter, input: Value) -> Ref:
    """Numbers that are told from each other; truth values as integers."""
    return g.cast(input, Precision.INT32) if input.precision == Precision.BOOL8 else wide(g, input)


def order(g: Emitter, input: Value) -> Ref:
    """Numbers in their order: those of UINT32 are integers of 32 bits to OpenVINO, whose highest
    bit is the sign."""
    if input.precision == Precision.UINT32:
        return g.cast(input, Precision.INT32) ^ np.iinfo(np.int32).min
    return tell(g, input)


def sortable(g: Emitter, input: Value, *, highest: bool) -> Ref:
    """Values in an order; NaN is what is looked for, beyond infinity, which is as the largest."""
    if not input.is_float:
        return order(g, input)
    x = single(g, input)
    most = float(np.finfo(np.float32).max) * (1 if highest else -1)
    finite = g.pair("Minimum" if highest else "Maximum", x, most)
    return g.where(g.node("IsNaN", x), np.inf if highest else -np.inf, finite)


Told = Annotated[Ref, tell]
"""Numbers that OpenVINO tells from each other."""

Ordered = Annotated[Ref, order]
"""Numbers whose order OpenVINO knows."""
