"""ONNX losses."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import activation, compare, reduce, shape, unary
from nnir.types import Precision

from ...table import Table, Wanted

table = Table()


@table.convert("NegativeLogLikelihoodLoss", since=12)
def negative_log_likelihood_loss(
    input: Value,
    target: Value,
    weight: Value | None = None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Value:
    zero = input.model.constant(0, input.dtype)
    labels = shape.unsqueeze(unary.cast(target, dtype=Precision.INT64), [1])
    chosen = compare.equal(_classes(input), labels)
    loss = -_pick_class(input, chosen, zero)
    if ignore_index is None and weight is None:
        return _reduce_loss(loss, None, reduction)
    if weight is None:
        weights = input.model.constant(1, input.dtype)
    else:
        columns = shape.unsqueeze(weight, list(range(1, input.rank - 1)))
        weights = _pick_class(columns, chosen, zero)
    if ignore_index is not None:
        ignored = compare.equal(target, ignore_index)
        weights = compare.where(ignored, zero, weights)
        loss = compare.where(ignored, zero, loss)
    return _reduce_loss(loss * weights, weights, reduction)


def _classes(input: Value) -> Value:
    """The numbers of the classes, laid along axis 1."""
    return build.arange_along(input, 1, aligned=True)


def _pick_class(values: Value, chosen: Value, zero: Value) -> Value:
    """The value of the chosen class; 0 where no class is chosen."""
    return reduce.reduce_sum(compare.where(chosen, values, zero), [1], keepdim=False)


def _reduce_loss(loss: Value, weights: Value | None, reduction: str) -> Value:
    everywhere = loss.model.constant(np.empty(0, np.int64))
    match reduction:
        case "none":
            return loss
        case "sum":
            return reduce.reduce_sum(loss, everywhere, keepdim=False)
        case "mean" if weights is None:
            return reduce.reduce_mean(loss, everywhere, keepdim=False)
        case "mean":
            total = reduce.reduce_sum(loss, everywhere, keepdim=False)
            return total / reduce.reduce_sum(weights, everywhere, keepdim=False)
    raise Unsupported(f"a loss with reduction={reduction!r}")


@table.convert("SoftmaxCrossEntropyLoss", since=12)
def softmax_cross_entropy_loss(
    scores: Value,
    labels: Value,
    weights: Value | None = None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
    wanted: Wanted,
) -> Value | tuple[Value, Value]:
    logarithms = activation.log_softmax(scores, axis=1)
    loss = negative_log_likelihood_loss(
        logarithms, labels, weights, ignore_index=ignore_index, reduction=reduction
    )
    return loss if wanted == 1 else (loss, logarithms)
