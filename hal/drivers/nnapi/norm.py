"""Normalisations."""

from __future__ import annotations

import math

from nnir.errors import NoLowering
from nnir.ops import norm

from ...lowering import Lowerings
from .emitter import Emitter, Real, Ref

table = Lowerings[Ref]()


@table.lower(norm.lrn)
def lrn(g: Emitter, input: Real, *, size: int, bias: float, alpha: float, beta: float) -> Ref:
    """A radius stands for an odd size; alpha is that of one square."""
    if size % 2 == 0 or bias == 0 or input.rank < 2:
        raise NoLowering(f"nnapi normalises over odd sizes with a bias, not size={size}, {bias=}")
    ref = g.last(input, [1])
    *outer, depth = ref.shape
    x = g.dims(ref, (1, 1, math.prod(outer), depth))
    numbers = [(size - 1) // 2, float(bias), alpha / size, float(beta)]
    made = g.one("LOCAL_RESPONSE_NORMALIZATION", [x, *numbers], x.dims)
    return made.stored(ref.shape, ref.order)
