"""Batch normalisation folded into the convolution before it."""

from __future__ import annotations

import numpy as np

from ..model import Operation, Value
from ..ops import conv, norm
from ..types import Fuse
from .matching import ANY, Variable, node, rule


def _is_known(value: Value) -> bool:
    return value.constant is not None and value.is_float


def _constant(name: str) -> Variable:
    return Variable(name, where=_is_known)


STATISTICS = ("scale", "shift", "mean", "variance")
IMAGE = node(
    conv.conv_2d,
    *(Variable("image"), _constant("filter"), _constant("bias")),
    name="convolution",
    alone=True,
    attributes=ANY,
)
NORM = node(
    norm.batch_normalization,
    *(IMAGE, *map(_constant, STATISTICS)),
    name="normalization",
    attributes={"epsilon": ANY},
)


def _is_free(convolution: Operation) -> bool:
    return bool(convolution.attributes["fuse_code"] == Fuse.NONE)


@rule(NORM, where=_is_free)
def fold_batch_norm(
    image: Value, filter: Value, bias: Value, convolution: Operation, normalization: Operation
) -> Value:
    """Scale the filter and the bias of a convolution by the batch norm that follows it.

    The products are formed in float64 and rounded once.
    """
    weights, offset, scale, shift, mean, variance = (
        np.asarray(v.constant, np.float64)
        for v in (filter, bias, *normalization.inputs[1:])
        if v is not None
    )
    gain = scale / np.sqrt(variance + normalization.attributes["epsilon"])
    weights = weights * gain.reshape(-1, 1, 1, 1)
    offset = (offset - mean) * gain + shift
    return conv.conv_2d(
        image,
        image.model.constant(weights.astype(filter.dtype), name=filter.name),
        image.model.constant(offset.astype(filter.dtype)),
        **convolution.attributes,
    )
