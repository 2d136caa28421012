"""Biases that make up for what rounded weights lose on average.

Source: Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction",
2019.
"""

from __future__ import annotations

import numpy as np

from ..model import Operation, Value
from ..ops import conv, linear
from .placement import Placement
from .roles import bias_of, data_of, weights_of


def inputs_to_average(placement: Placement) -> dict[Value, int]:
    """The inputs of products whose bias can be corrected, and the axis of their channels."""
    found: dict[Value, int] = {}
    for operation in placement.integer:
        weights = weights_of(operation)
        axis = _channel_axis(operation)
        if weights is None or bias_of(operation) is None or axis is None:
            continue
        found.update({v: axis for v in data_of(operation) if v is not weights})
    return found


def _channel_axis(operation: Operation) -> int | None:
    """The axis of what a product sums, in its input; None where it is not corrected."""
    if operation.operator is linear.fully_connected:
        return -1
    return 1 if operation.operator in (conv.conv_2d, conv.conv_3d) else None


def correct_bias(
    operation: Operation, bias: np.ndarray, lost: np.ndarray, mean: np.ndarray
) -> np.ndarray:
    """A bias plus what `lost`, the weights less the rounded ones, give on average.

    `mean`: the average of each channel of the input. At borders of images the average is a little
    less than that.
    """
    rows = lost.astype(np.float64)
    if rows.ndim > 2:
        rows = rows.sum(axis=tuple(range(2, rows.ndim)))
    group = int(operation.attributes.get("group", 1))
    per_row = np.repeat(mean.reshape(group, -1), rows.shape[0] // group, axis=0)
    return np.asarray((bias + (rows * per_row).sum(axis=1)).astype(bias.dtype))
