"""Losses: what becomes of those of all samples."""

from __future__ import annotations

from .. import build
from ..errors import Unsupported
from ..model import Value
from ..ops import reduce, shape


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
