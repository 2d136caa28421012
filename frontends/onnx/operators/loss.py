"""ONNX losses."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import activation
from nnir.recipes.loss import Reduction, negative_log_likelihood

from ...table import Maybe, Table, Wanted

table = Table()
table.same({"NegativeLogLikelihoodLoss": negative_log_likelihood}, since=12)


@table.convert("SoftmaxCrossEntropyLoss", since=12)
def softmax_cross_entropy_loss(
    scores: Value,
    labels: Value,
    weights: Maybe = None,
    *,
    ignore_index: int | None = None,
    reduction: Reduction = "mean",
    wanted: Wanted,
) -> Value | tuple[Value, Value]:
    logarithms = activation.log_softmax(scores, axis=1)
    loss = negative_log_likelihood(
        logarithms, labels, weights, ignore_index=ignore_index, reduction=reduction
    )
    return loss if wanted == 1 else (loss, logarithms)
