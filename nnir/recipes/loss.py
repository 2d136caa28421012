"""Losses: what becomes of those of all samples."""

from __future__ import annotations

from typing import Literal

from .. import build
from ..dim import differ
from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import compare, reduce, shape

Reduction = Literal["mean", "none", "sum"]


def reduce_losses(losses: Value, reduction: str) -> Value:
    """All losses, their sum, their mean, or their sum by the number of samples (Paddle)."""
    match reduction:
        case "none":
            return losses
        case "mean":
            return reduce.reduce_mean(losses, [], keepdim=False) if losses.rank else losses
        case "sum":
            return reduce.reduce_sum(losses, [], keepdim=False) if losses.rank else losses
        case "batchmean":
            count = build.vector(losses.model, [build.size_of(losses, 0)])
            return reduce_losses(losses, "sum") / shape.reshape(count, []).cast(losses.precision)
    raise Unsupported(f"a loss with {reduction=}")


def negative_log_likelihood(
    input: Value,
    target: Value,
    weight: Value | None = None,
    *,
    ignore_index: int | None = None,
    reduction: Reduction = "mean",
) -> Value:
    """Minus what `input` [N, C, ...] says of the class `target` [N, ...], by the weights of the
    classes [C]; the mean is over the weights."""
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
