"""Normalisations along the depth of images."""

from __future__ import annotations

import numpy as np

from .call import Call, Kernel, Results


def l2_normalization(call: Call) -> Results:
    """x / sqrt(sum of squares); zeros alone give NaN, as the formula does."""
    x = call.array()
    with np.errstate(invalid="ignore", divide="ignore"):
        return [x / np.sqrt((x * x).sum(-1, keepdims=True))]


def local_response_normalization(call: Call) -> Results:
    """x / (bias + alpha * squares within the radius) ** beta."""
    x, radius = call.array(), call.integer("radius")
    squares, sums = x * x, np.zeros_like(x)
    depth = x.shape[-1]
    for step in range(-min(radius, depth - 1), min(radius, depth - 1) + 1):
        low, high = max(-step, 0), depth - max(step, 0)
        sums[..., low:high] += squares[..., low + step : high + step]
    with np.errstate(invalid="ignore", divide="ignore"):
        below = (call.real("bias") + call.real("alpha") * sums) ** call.real("beta")
        return [x / below]


KERNELS: dict[str, Kernel] = {
    "L2_NORMALIZATION": l2_normalization,
    "LOCAL_RESPONSE_NORMALIZATION": local_response_normalization,
}
