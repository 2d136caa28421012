"""Rounding to the numbers that integers of some bits can express."""

from __future__ import annotations

import numpy as np

from ..errors import BadType
from ..model import Value
from ..ops import activation, binary, unary


def fake_quantize(
    x: Value, low: np.ndarray, high: np.ndarray, num_bits: int, narrow_range: bool
) -> Value:
    """Round to one of 2**num_bits numbers between bounds that are moved so that 0 is one."""
    if not 2 <= num_bits <= 16:
        raise BadType(f"quantisation to num_bits={num_bits}")
    low, high = (np.asarray(v, np.float32) for v in (low, high))
    is_empty = (low == high) & (low != 0)  # between 0 and 0 everything is 0
    if low.shape != high.shape or np.any((low > high) | is_empty):
        raise BadType(f"quantisation between {low} and {high}")
    first, last = np.float32(1 if narrow_range else 0), np.float32((1 << num_bits) - 1)
    scale = ((high - low) / (last - first)).astype(np.float32)
    step = np.where(scale == 0, np.float32(1), scale)
    at = first - low / step
    zero = np.where(at < first, first, np.where(at > last, last, np.floor(at + np.float32(0.5))))
    zero = zero.astype(np.float32)
    least, most = ((first - zero) * scale).astype(np.float32), ((last - zero) * scale)
    inverse = (np.float32(1) / step).astype(np.float32)
    shift = np.floor(-least * inverse + np.float32(0.5))
    bounds = [x.model.constant(v.astype(np.float32)) for v in (least, most)]
    if low.ndim:
        inner = binary.max_(binary.min_(x, bounds[1]), bounds[0])
    else:
        inner = activation.clip(x, *bounds)
    steps = (inner - bounds[0]) * x.model.constant(inverse)
    offset = (np.float32(0.5) - shift).astype(np.float32)
    whole = unary.floor(steps + x.model.constant(offset))
    return whole * x.model.constant(scale)  # which is 0 of an empty range
