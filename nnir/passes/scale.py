"""Multiplications and additions per channel folded into the convolution before them."""

from __future__ import annotations

import numpy as np

from ..model import Model, Operation, Value
from ..ops import binary, conv
from ..types import Fuse
from .rewrite import only_reader, rewrite, sweep

ARITHMETIC = frozenset({binary.add, binary.sub, binary.mul, binary.div})


def _per_channel(value: Value | None, channels: int) -> np.ndarray | None:
    """A constant with one number, or one for each channel of an image, as a vector."""
    if value is None or value.constant is None or not value.is_float or value.rank > 4:
        return None
    sizes = (1,) * (4 - value.rank) + value.constant.shape
    if sizes not in ((1, 1, 1, 1), (1, channels, 1, 1)):
        return None
    return np.broadcast_to(value.constant.reshape(-1), channels).astype(np.float64)


def _pair(operation: Operation) -> tuple[Operation, np.ndarray] | None:
    """The arithmetic with a constant that alone reads a convolution, and the constant."""
    if operation.operator is not conv.conv_2d or operation.attributes["fuse_code"] != Fuse.NONE:
        return None
    _, filter, bias = operation.inputs
    if filter is None or bias is None or filter.constant is None or bias.constant is None:
        return None
    output = operation.outputs[0]
    reader = only_reader(output)
    if reader is None or reader.operator not in ARITHMETIC:
        return None
    if reader.attributes["fuse_code"] != Fuse.NONE or reader.outputs[0].type != output.type:
        return None
    if not filter.is_float:
        return None
    left, right = reader.inputs
    if right is output and reader.operator in (binary.sub, binary.div):
        return None
    factor = _per_channel(right if left is output else left, filter.constant.shape[0])
    return None if factor is None else (reader, factor)


@rewrite(ensures=lambda model: all(_pair(o) is None for o in model.operations))
def fold_scale(model: Model) -> bool:
    """Scale and shift the filter and the bias of a convolution by what follows it.

    Ensures: no such pair is left. The products are formed in float64 and rounded once.
    """
    modified = False
    pending = [o for o in model.operations if o.operator is conv.conv_2d]
    while pending:
        operation = pending.pop()
        found = _pair(operation)
        if found is None:
            continue
        reader, factor = found
        image, filter, bias = operation.inputs
        if filter is None or bias is None:
            continue
        weights = np.asarray(filter.constant, np.float64)
        offset = np.asarray(bias.constant, np.float64)
        if reader.operator is binary.add:
            offset = offset + factor
        elif reader.operator is binary.sub:
            offset = offset - factor
        else:
            gain = factor if reader.operator is binary.mul else 1 / factor
            weights, offset = weights * gain.reshape(-1, 1, 1, 1), offset * gain
        if reader.operator not in (binary.add, binary.sub):
            filter = model.constant(weights.astype(filter.dtype), name=filter.name)
        fused = conv.conv_2d(
            image,
            filter,
            model.constant(offset.astype(filter.dtype)),
            **operation.attributes,
        )
        model.replace(reader.outputs[0], fused)
        pending.append(model.operations[-1])
        modified = True
    return sweep(model) or modified
