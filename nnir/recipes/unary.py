"""Elementwise functions of one tensor that the standard has only in parts."""

from __future__ import annotations

import numpy as np

from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import compare, index, logic, shape, unary
from ..types import Precision

UNSIGNED = {1: Precision.UINT8, 2: Precision.UINT16, 4: Precision.UINT32, 8: Precision.UINT64}
"""Integers without a sign by their width in bytes."""


def sign_of(x: Value) -> Value:
    """-1, 0 or 1 of real numbers; of complex ones x / |x|."""
    if x.dtype.kind != "c":
        return unary.sign(x)
    size = abs(x)
    nothing = compare.equal(size, 0)
    return x / compare.where(nothing, 1, size).cast(x.precision)


def reinterpret_bits(input: Value, *, type: Precision) -> Value:
    """Of another width: the last axis holds the parts of an element, the lowest first."""
    old, new = input.dtype.itemsize, type.dtype.itemsize
    if old == new:
        return unary.bit_cast(input, dtype=type)
    if old not in UNSIGNED or new not in UNSIGNED or type == Precision.BOOL8:
        raise Unsupported(f"Bitcast of {input.precision.name} to {type.name}")
    whole = unary.bit_cast(input, dtype=UNSIGNED[old])
    if old > new:
        steps = np.arange(0, 8 * old, 8 * new, dtype=whole.dtype)
        parts = logic.bit_shift(
            shape.unsqueeze(whole, [-1]), input.model.constant(steps), left=False
        )
        return unary.bit_cast(parts.cast(UNSIGNED[new]), dtype=type)
    if input.rank == 0 or input.shape[-1] != new // old:
        raise BadType(f"Bitcast of {input.type} to {type.name}: a last axis of {new // old}")
    result: Value | None = None
    for k in range(new // old):
        part = index.gather(whole, k, axis=-1).cast(UNSIGNED[new])
        step = input.model.constant(np.array(8 * old * k, UNSIGNED[new].dtype))
        part = logic.bit_shift(part, step, left=True) if k else part
        result = part if result is None else result | part
    return unary.bit_cast(result, dtype=type)
