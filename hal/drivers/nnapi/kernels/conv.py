"""Convolutions of images with channels last."""

from __future__ import annotations

import numpy as np

from . import fixed
from .call import Call, Kernel, Results
from .windows import Windows, windows_of


def conv_2d(call: Call) -> Results:
    """Filters are [out, height, width, in]."""
    filter = call.array("filter")
    how = windows_of(call, (filter.shape[1], filter.shape[2]))
    rows = filter.reshape(filter.shape[0], -1)
    if not call.is_quantized:
        products = fixed.multiply_rows(how.spread(how.pad(call.array(), 0)), rows.T)
        return [fixed.activate(products + call.array("bias"), call.activation)]
    x, taps = _centre_both(call, rows)
    return finish(call, "filter", fixed.multiply(how.spread(how.pad(x, 0)), taps.T))


def _centre_both(call: Call, filter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return fixed.centre(call.array(), call.operand()), fixed.centre(filter, call.operand("filter"))


def finish(call: Call, weights: str, sums: np.ndarray) -> Results:
    """Sums of integers with the bias, in the scale of the result."""
    multiplier = call.operand().scale * call.operand(weights).scale / call.output.scale
    with np.errstate(over="ignore"):
        whole = sums + call.array("bias")
    return [fixed.rescale(whole, multiplier, call.output, call.activation)]


def depthwise_conv_2d(call: Call) -> Results:
    """The filter is [1, height, width, channels * multiplier]."""
    filter = call.array("filter")
    how = windows_of(call, (filter.shape[1], filter.shape[2]))
    times = call.integer("depth_multiplier")
    if not call.is_quantized:
        sums = _sum_depthwise(how, call.array(), filter, times)
        return [fixed.activate(sums + call.array("bias"), call.activation)]
    x, taps = _centre_both(call, filter)
    return finish(call, "filter", _sum_depthwise(how, x, taps, times))


def _sum_depthwise(how: Windows, x: np.ndarray, filter: np.ndarray, times: int) -> np.ndarray:
    """Channel k meets the filters k * times and those behind it."""
    wide = how.pad(x if times == 1 else np.repeat(x, times, 3), 0)
    sums = np.zeros((x.shape[0], *how.counts, filter.shape[3]), x.dtype)
    for i, j, part in how.slices(wide):
        sums += part * filter[0, i, j]
    return sums


KERNELS: dict[str, Kernel] = {"CONV_2D": conv_2d, "DEPTHWISE_CONV_2D": depthwise_conv_2d}
