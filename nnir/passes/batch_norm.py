"""Batch normalisation folded into the convolution before it."""

from __future__ import annotations

import numpy as np

from ..model import Model, Operation
from ..ops import conv, norm
from ..types import Fuse
from .rewrite import only_reader, rewrite, sweep


def _pair(operation: Operation) -> Operation | None:
    """The batch norm that alone reads a convolution, all of their parameters being constant."""
    if operation.operator is not conv.conv_2d or operation.attributes["fuse_code"] != Fuse.NONE:
        return None
    if any(v is None or v.constant is None or not v.is_float for v in operation.inputs[1:3]):
        return None
    reader = only_reader(operation.outputs[0])
    if reader is None or reader.operator is not norm.batch_normalization:
        return None
    return (
        reader if all(v is not None and v.constant is not None for v in reader.inputs[1:]) else None
    )


@rewrite(ensures=lambda model: all(_pair(o) is None for o in model.operations))
def fold_batch_norm(model: Model) -> bool:
    """Scale the filter and the bias of a convolution by the batch norm that follows it.

    Ensures: no such pair is left. The products are formed in float64 and rounded once.
    """
    modified = False
    for operation in list(model.operations):
        reader = _pair(operation)
        if reader is None:
            continue
        image, filter, bias = operation.inputs
        weights, offset, *statistics = (
            np.asarray(v.constant, np.float64)
            for v in (filter, bias, *reader.inputs[1:])
            if v is not None
        )
        scale, shift, mean, variance = statistics
        gain = scale / np.sqrt(variance + reader.attributes["epsilon"])
        weights = weights * gain.reshape(-1, 1, 1, 1)
        offset = (offset - mean) * gain + shift
        fused = conv.conv_2d(
            image,
            model.constant(weights.astype(filter.dtype), name=filter.name),  # type: ignore[union-attr]
            model.constant(offset.astype(filter.dtype)),  # type: ignore[union-attr]
            **operation.attributes,
        )
        model.replace(reader.outputs[0], fused)
        modified = True
    return sweep(model) or modified
