"""ONNX losses."""

from __future__ import annotations

from typing import Literal

from nnir import build
from nnir.dim import differ
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation, compare, reduce, shape
from nnir.recipes.loss import reduce_losses

from ...table import Table, Wanted

table = Table()
Reduction = Literal["mean", "none", "sum"]


@table.convert("NegativeLogLikelihoodLoss", since=12)
def negative_log_likelihood_loss(
    input: Value,
    target: Value,
    weight: Value | None = None,
    *,
    ignore_index: int | None = None,
    reduction: Reduction = "mean",
) -> Value:
    if target.rank != input.rank - 1:
        raise BadType(f"a loss of {input.type} with classes {target.type}")
    labels = shape.unsqueeze(build.int64(target), [1])
    chosen = compare.equal(build.arange_along(input, 1, aligned=True), labels)
    loss, weights = -_pick_class(input, chosen), None
    if weight is not None:
        if weight.rank != 1 or differ(weight.shape[0], input.shape[1]):
            raise BadType(f"a loss of {input.type} with weights {weight.type} of the classes")
        columns = shape.unsqueeze(weight, list(range(1, input.rank - 1)))
        weights = _pick_class(columns, chosen)
    if ignore_index is not None:
        ignored = compare.equal(target, ignore_index)
        weights = compare.where(ignored, 0, input.scalar(1) if weights is None else weights)
        loss = compare.where(ignored, 0, loss)
    if weights is None:
        return reduce_losses(loss, reduction)
    loss = loss * weights
    if reduction == "mean":
        return reduce_losses(loss, "sum") / reduce_losses(weights, "sum")
    return reduce_losses(loss, reduction)


def _pick_class(values: Value, chosen: Value) -> Value:
    """The value of the chosen class; 0 where no class is chosen."""
    return reduce.reduce_sum(compare.where(chosen, values, 0), [1], keepdim=False)


@table.convert("SoftmaxCrossEntropyLoss", since=12)
def softmax_cross_entropy_loss(
    scores: Value,
    labels: Value,
    weights: Value | None = None,
    *,
    ignore_index: int | None = None,
    reduction: Reduction = "mean",
    wanted: Wanted,
) -> Value | tuple[Value, Value]:
    logarithms = activation.log_softmax(scores, axis=1)
    loss = negative_log_likelihood_loss(
        logarithms, labels, weights, ignore_index=ignore_index, reduction=reduction
    )
    return loss if wanted == 1 else (loss, logarithms)
