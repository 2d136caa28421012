"""Pools of images with channels last; what lies in the padding does not count."""

from __future__ import annotations

import numpy as np

from . import fixed
from .call import Call, Kernel, Results
from .windows import Windows, windows_of


def _windows(call: Call) -> Windows:
    return windows_of(call, (call.integer("filter_height"), call.integer("filter_width")))


def average_pool_2d(call: Call) -> Results:
    x, how = call.array(), _windows(call)
    if not call.is_quantized:
        return [fixed.activate(_sum(how, x) / _counts(how, x), call.activation)]
    given = call.operand()
    sums = _sum(how, fixed.centre(x, given)) / _counts(how, x.astype(np.float64))
    return [fixed.rescale(sums, given.scale / call.output.scale, call.output, call.activation)]


def _sum(how: Windows, x: np.ndarray) -> np.ndarray:
    return how.reduce(np.add, x, 0)


def _counts(how: Windows, x: np.ndarray) -> np.ndarray:
    """How many pixels of each window lie in the image."""
    return _sum(how, np.ones((1, *x.shape[1:3], 1), x.dtype))


def max_pool_2d(call: Call) -> Results:
    x, how = call.array(), _windows(call)
    largest = how.reduce(np.maximum, x, 0 if call.is_quantized else -np.inf)
    if not call.is_quantized:
        return [fixed.activate(largest, call.activation)]
    given, sums = call.operand(), fixed.centre(largest, call.operand())
    return [fixed.rescale(sums, given.scale / call.output.scale, call.output, call.activation)]


def l2_pool_2d(call: Call) -> Results:
    """The root of the mean of squares."""
    x, how = call.array(), _windows(call)
    means = _sum(how, x * x) / _counts(how, x)
    return [fixed.activate(np.sqrt(means), call.activation)]


KERNELS: dict[str, Kernel] = {
    "AVERAGE_POOL_2D": average_pool_2d,
    "MAX_POOL_2D": max_pool_2d,
    "L2_POOL_2D": l2_pool_2d,
}
