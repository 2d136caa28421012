"""Multiplications and additions per channel folded into the convolution before them."""

from __future__ import annotations

import numpy as np

from ..model import Operation, Value
from ..ops import binary, conv
from ..types import Fuse
from .matching import ANY, Variable, node, rule

ARITHMETIC = frozenset({binary.add, binary.sub, binary.mul, binary.div})


def _per_channel(value: Value, channels: int) -> np.ndarray | None:
    """A constant with one number, or one for each channel of an image, as a vector."""
    if not value.is_float or value.rank > 4:
        return None
    numbers = np.asarray(value.constant)
    sizes = (1,) * (4 - value.rank) + numbers.shape
    if sizes not in ((1, 1, 1, 1), (1, channels, 1, 1)):
        return None
    return np.broadcast_to(numbers.reshape(-1), channels).astype(np.float64)


def _is_foldable(convolution: Operation, arithmetic: Operation, factor: Value) -> bool:
    output, filter = convolution.outputs[0], convolution.inputs[1]
    if convolution.attributes["fuse_code"] != Fuse.NONE or filter is None:
        return False
    if arithmetic.outputs[0].type != output.type:
        return False
    return _per_channel(factor, filter.sizes[0]) is not None


def _constant(name: str) -> Variable:
    return Variable(name, where=lambda value: value.constant is not None)


IMAGE = node(
    conv.conv_2d,
    *(Variable("image"), _constant("filter"), _constant("bias")),
    name="convolution",
    alone=True,
    attributes=ANY,
)


@rule(node(ARITHMETIC, IMAGE, _constant("factor"), name="arithmetic"), where=_is_foldable)
def fold_scale(
    image: Value,
    filter: Value,
    bias: Value,
    factor: Value,
    convolution: Operation,
    arithmetic: Operation,
) -> Value:
    """Scale and shift the filter and the bias of a convolution by what follows it.

    The products are formed in float64 and rounded once.
    """
    channels = np.asarray(_per_channel(factor, filter.sizes[0]))
    weights = np.asarray(filter.constant, np.float64)
    offset = np.asarray(bias.constant, np.float64)
    match arithmetic.operator:
        case binary.add:
            offset = offset + channels
        case binary.sub:
            offset = offset - channels
        case _:
            gain = channels if arithmetic.operator is binary.mul else 1 / channels
            weights, offset = weights * gain.reshape(-1, 1, 1, 1), offset * gain
            filter = image.model.constant(weights.astype(filter.dtype), name=filter.name)
    bias = image.model.constant(offset.astype(filter.dtype))
    return conv.conv_2d(image, filter, bias, **convolution.attributes)
