"""Move scale between two products in a row, so that the channels between them are alike.

Source: Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction",
2019.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..model import Model, Operation, Value
from ..ops import conv
from ..types import Fuse, Precision
from .roles import bias_of, data_of, weights_of

HOMOGENEOUS = frozenset({Fuse.NONE, Fuse.RELU})
"""Activations f with f(s x) = s f(x) for every s > 0."""

ROUNDS = 8
MOST = 1e4
"""So much a channel is scaled at most."""


def equalise(model: Model) -> int:
    """Scale the weights of convolutions that follow each other, in place; how many pairs.

    The model gives the same, but for rounding: what one filter makes smaller the next one reads
    larger.
    """
    pairs = list(_pairs(model))
    for _ in range(ROUNDS):
        for first, second in pairs:
            _equalise_pair(model, first, second)
    return len(pairs)


def _pairs(model: Model) -> Iterator[tuple[Operation, Operation]]:
    for first in model.sorted():
        (made, *others) = first.outputs
        readers = list(made.uses)
        if others or len(readers) != 1 or made in model.outputs:
            continue
        (second,) = readers
        if all(map(_is_scalable, (first, second))) and second.inputs[0] is made:
            is_homogeneous = first.attributes["fuse_code"] in HOMOGENEOUS
            if is_homogeneous and second.attributes["group"] in (1, made.shape[1]):
                yield first, second


def _is_scalable(operation: Operation) -> bool:
    """Whether the weights and the bias of an operation are its own constants."""
    weights = weights_of(operation) if operation.operator is conv.conv_2d else None
    bias = bias_of(operation)
    if weights is None or bias is None or weights is not data_of(operation)[1]:
        return False
    alone = len(weights.uses) == 1 and len(bias.uses) == 1
    return alone and weights.precision == Precision.FLOAT32


def _equalise_pair(model: Model, first: Operation, second: Operation) -> None:
    before, after = _array(first.inputs[1]), _array(second.inputs[1])
    bias = _array(first.inputs[2])
    axis = 1 if second.attributes["group"] == 1 else 0
    others = tuple(k for k in range(after.ndim) if k != axis)
    made = np.abs(before).max(axis=(1, 2, 3), initial=0).astype(np.float64)
    read = np.abs(after).max(axis=others, initial=0).astype(np.float64)
    usable = (made > 0) & (read > 0)
    factors = np.sqrt(np.divide(read, made, out=np.ones_like(made), where=usable))
    factors = np.clip(factors, 1 / MOST, MOST)
    shape = tuple(-1 if k == axis else 1 for k in range(after.ndim))
    scaled = factors.astype(np.float32)
    _replace(model, first, 1, before * scaled.reshape(-1, 1, 1, 1))
    _replace(model, first, 2, bias * scaled)
    _replace(model, second, 1, after / scaled.reshape(shape))


def _array(value: Value | None) -> np.ndarray:
    if value is None or value.constant is None:
        raise ValueError("a pair whose weights are not known")
    return value.constant


def _replace(model: Model, operation: Operation, place: int, array: np.ndarray) -> None:
    old = operation.inputs[place]
    new = model.constant(np.ascontiguousarray(array), name=None if old is None else old.name)
    inputs = list(operation.inputs)
    inputs[place] = new
    operation.inputs = tuple(inputs)
    new.uses[operation] = None
    if old is not None:
        old.uses.pop(operation, None)
