"""Paddle's losses."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of, shapes_differ
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, binary, compare, index, reduce, shape, unary
from nnir.recipes.loss import reduce_losses
from nnir.types import Precision

from ...table import Pair, Table
from .boxes import plus, times

table = Table()


@table.convert("bce_loss", "bce_loss_")
def bce_loss(input: Value, label: Value) -> Value:
    """Logarithms are at least -100."""
    least = input.scalar(-100)
    right = binary.max_(unary.log(input), least)
    wrong = binary.max_(unary.log(1 - input), least)
    both = label * right + (1 - label) * wrong
    return -both


@table.convert("log_loss")
def log_loss(input: Value, label: Value, epsilon: float) -> Value:
    right = unary.log(plus(input, epsilon))
    wrong = unary.log(plus(1 - input, epsilon))
    both = label * right + (1 - label) * wrong
    return -both


@table.convert("huber_loss")
def huber_loss(input: Value, label: Value, delta: float) -> Pair:
    rest = label - input
    size = abs(rest)
    near = times(unary.square(rest), 0.5)
    far = times(plus(size, -0.5 * delta), delta)
    small = size <= delta
    return compare.where(small, near, far), rest


@table.convert("kldiv_loss")
def kldiv_loss(x: Value, label: Value, reduction: str, log_target: bool) -> Value:
    """Where the label is not above 0 there is no loss."""
    if log_target:
        loss = unary.exp(label) * (label - x)
    else:
        loss = label * (unary.log(label) - x)
        zero = x.scalar(0)
        loss = compare.where(label <= zero, zero, loss)
    return reduce_losses(loss, reduction)


@table.convert("hinge_loss")
def hinge_loss(logits: Value, labels: Value) -> Value:
    signs = plus(times(labels, 2), -1)
    return activation.relu(1 - signs * logits)


@table.convert("identity_loss", "identity_loss_")
def identity_loss(x: Value, reduction: int) -> Value:
    if reduction not in (0, 1, 2):
        raise Unsupported(f"identity_loss with {reduction=}")
    return reduce_losses(x, ("sum", "mean", "none")[reduction])


@table.convert("label_smooth")
def label_smooth(label: Value, prior_dist: Value | None, epsilon: float) -> Value:
    """A share of every label goes to all of them, or as `prior_dist` says."""
    kept = times(label, 1 - epsilon)
    if prior_dist is not None and shapes_differ(prior_dist.shape[-1:], label.shape[-1:]):
        raise BadType(f"label_smooth of {label.type} with {prior_dist.type}")
    if prior_dist is not None:
        return kept + times(shape.reshape(prior_dist, [-1]), epsilon)
    count = label.shape[-1]
    if isinstance(count, Expr):
        raise Unsupported(f"label_smooth of {label.type}")
    return plus(kept, epsilon / count)


@table.convert("sigmoid_cross_entropy_with_logits", "sigmoid_cross_entropy_with_logits_")
def sigmoid_cross_entropy_with_logits(
    x: Value,
    label: Value,
    pos_weight: Value | None,
    normalize: bool,
    ignore_index: int,
) -> Value:
    zero = x.scalar(0)
    soft = unary.log1p(unary.exp(-abs(x)))  # of log(1 + exp(-x)) what is bounded
    if pos_weight is None:
        loss = binary.max_(x, zero) - x * label + soft
    else:
        log = binary.max_(-x, zero) + soft
        loss = (1 - label) * x + pos_weight * log
    counts = compare.not_equal(label, ignore_index)
    loss = compare.where(counts, loss, zero)
    if not normalize:
        return loss
    total = reduce.reduce_sum(counts.cast(x.precision), list(range(x.rank)), keepdim=False)
    return loss / binary.max_(total, 1e-5)


@table.convert("cross_entropy_with_softmax", "cross_entropy_with_softmax_")
def cross_entropy_with_softmax(
    input: Value,
    label: Value,
    soft_label: bool,
    use_softmax: bool,
    numeric_stable_mode: bool,
    ignore_index: int,
    axis: int,
) -> Pair:
    """Labels are classes, or with `soft_label` shares of classes."""
    place = axis_of(axis, input.rank)
    if use_softmax:
        shares, logs = (
            activation.softmax(input, axis=place),
            activation.log_softmax(input, axis=place),
        )
    else:
        shares, logs = input, unary.log(input)
    if soft_label:
        products = label * logs
        return shares, -reduce.reduce_sum(products, [place], keepdim=True)
    classes = label.cast(Precision.INT64)
    if classes.rank < input.rank:
        classes = shape.unsqueeze(classes, [place])
    ignored = compare.equal(classes, np.int64(ignore_index))
    safe = compare.where(ignored, 0, classes)
    losses = -index.gather_elements(logs, safe, axis=place)
    if not use_softmax:  # Paddle has no infinite loss
        losses = activation.clip(losses, losses.scalar(-1e20), losses.scalar(1e20))
    return shares, compare.where(ignored, 0, losses)


@table.convert("nll_loss")
def nll_loss(
    input: Value,
    label: Value,
    weight: Value | None,
    ignore_index: int,
    reduction: str,
) -> Pair:
    """Minus what `input` [N, C, ...] says of the right class, and the sum of the weights."""
    if input.rank < 2 or label.rank != input.rank - 1:
        raise BadType(f"nll_loss of {input.type} with labels {label.type}")
    classes = label.cast(Precision.INT64)
    ignored = compare.equal(classes, np.int64(ignore_index))
    safe = compare.where(ignored, 0, classes)
    chosen = index.gather_elements(input, shape.unsqueeze(safe, [1]), axis=1)
    right = -shape.squeeze(chosen, [1])
    counts = input.scalar(1) if weight is None else index.gather(weight, safe, axis=0)
    counts = compare.where(ignored, 0, counts)
    losses = compare.where(ignored, 0, right * counts)
    axes = list(range(label.rank))
    whole = reduce.reduce_sum(counts, axes, keepdim=False)
    total = reduce.reduce_sum(losses, axes, keepdim=False)
    match reduction:
        case "none":
            return losses, input.scalar(0)
        case "sum":
            return total, whole
        case "mean":
            return compare.where(compare.equal(whole, 0), total, total / whole), whole
    raise Unsupported(f"nll_loss with {reduction=}")
