"""ATen losses."""

from __future__ import annotations

import math

import numpy as np

from nnir.broadcast import shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, binary, compare, generate, index, reduce, shape, unary
from nnir.recipes import loss as recipes
from nnir.recipes.promotion import (
    COMPLEX,
    Number,
    common_precision,
    promote,
    promote_to_float,
    widen_half,
)
from nnir.types import Precision

from ...table import Table
from .activation import log_sigmoid
from .distance import cosine_similarity, pairwise_distance

table = Table()


REDUCTIONS = {0: "none", 1: "mean", 2: "sum"}


def reduce_losses(losses: Value, reduction: int, like: Value) -> Value:
    """All losses, their mean or their sum, in the precision of `like`."""
    if reduction not in REDUCTIONS:
        raise Unsupported(f"a loss with reduction={reduction!r}")
    return recipes.reduce_losses(losses, REDUCTIONS[reduction]).cast(like.precision)


def _pair(self: Value, target: Value) -> list[Value]:
    return [widen_half(v) for v in promote(self, target)]


def _difference(self: Value, target: Value) -> Value:
    return binary.sub(*_pair(self, target))


@table.convert("aten.mse_loss.default")
def mse_loss(self: Value, target: Value, reduction: int = 1) -> Value:
    return reduce_losses(
        unary.square(_difference(self, target)), reduction, promote(self, target)[0]
    )


@table.convert("aten.l1_loss.default")
def l1_loss(self: Value, target: Value, reduction: int = 1) -> Value:
    sizes, given = abs(_difference(self, target)), promote(self, target)[0]
    return reduce_losses(sizes, reduction, sizes if given.precision in COMPLEX else given)


def _half_square(x: Value) -> Value:
    return unary.square(x) * 0.5


@table.convert("aten.smooth_l1_loss.default")
def smooth_l1_loss(self: Value, target: Value, reduction: int = 1, beta: float = 1.0) -> Value:
    if beta == 0:
        return l1_loss(self, target, reduction)
    size = abs(_difference(self, target))
    near = _half_square(size) / beta
    far = size - 0.5 * beta
    losses = compare.where(size < beta, near, far)
    return reduce_losses(losses, reduction, promote(self, target)[0])


@table.convert("aten.huber_loss.default")
def huber_loss(self: Value, target: Value, reduction: int = 1, delta: float = 1.0) -> Value:
    size = abs(_difference(self, target))
    far = (size - 0.5 * delta) * delta
    near = size <= delta
    return reduce_losses(
        compare.where(near, _half_square(size), far), reduction, promote(self, target)[0]
    )


def _negative_likelihood(
    x: Value, target: Value, weight: Value | None, reduction: int, ignore_index: int
) -> tuple[Value, Value]:
    """The loss of class indices, whose scores are on axis 1 (0 of a vector), and what it weighs."""
    if weight is not None and weight.rank != 1:
        raise BadType(f"a loss with weights {weight.type}: one for each class is needed")
    axis = min(1, x.rank - 1)
    wide = widen_half(x)
    classes = target.cast(Precision.INT64)
    there = compare.not_equal(classes, ignore_index)
    safe = compare.where(there, classes, 0)
    found = index.gather_elements(wide, shape.unsqueeze(safe, [axis]), axis=axis)
    losses = -shape.squeeze(found, [axis])
    if weight is None:
        weights = there.cast(wide.precision)
    else:
        each = index.gather(widen_half(weight), safe, axis=0)
        weights = compare.where(there, each, 0)
    losses = compare.where(there, losses * weights, 0)
    if reduction == 0:
        total = wide.scalar(0) if x.rank > 1 else weights
        return losses.cast(x.precision), total.cast(x.precision)
    total, loss = (recipes.reduce_losses(v, "sum") for v in (weights, losses))
    match reduction:
        case 1:
            loss = loss / total
        case 2:
            pass
        case _:
            raise Unsupported(f"a loss with reduction={reduction!r}")
    return loss.cast(x.precision), total.cast(x.precision)


@table.convert("aten.nll_loss.default", "aten.nll_loss_nd.default", "aten.nll_loss2d.default")
def nll_loss(
    self: Value,
    target: Value,
    weight: Value | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
) -> Value:
    return _negative_likelihood(self, target, weight, reduction, ignore_index)[0]


@table.convert("aten.nll_loss_forward.default", "aten.nll_loss2d_forward.default")
def nll_loss_forward(
    self: Value, target: Value, weight: Value | None, reduction: int, ignore_index: int
) -> tuple[Value, Value]:
    return _negative_likelihood(self, target, weight, reduction, ignore_index)


@table.convert("aten.cross_entropy_loss.default")
def cross_entropy_loss(
    self: Value,
    target: Value,
    weight: Value | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Value:
    if label_smoothing > 1:
        raise BadType(f"cross_entropy_loss with {label_smoothing=}: at most 1 is possible")
    axis = min(1, self.rank - 1)
    x = widen_half(self)
    scores = activation.log_softmax(x, axis=axis)
    if target.is_float:
        result = common_precision(*(v for v in (self, target, weight) if v is not None))
        if result != self.precision:  # PyTorch rounds the scores to their own type before that
            scores = scores.cast(self.precision)
        made = _of_probabilities(scores, target, weight, reduction, label_smoothing, axis)
        return made.cast(result)
    made, _ = _negative_likelihood(scores, target, weight, reduction, ignore_index)
    if label_smoothing > 0:
        smooth = _smooth_loss(scores, target, weight, reduction, ignore_index)
        parts = (made, x.scalar(1 - label_smoothing)), (smooth, x.scalar(label_smoothing))
        made = binary.add(*(binary.mul(*p) for p in parts))
    return made.cast(self.precision)


def _along_classes(weight: Value, x: Value, axis: int) -> Value:
    """One number per class along the axis of the classes."""
    trailing = list(range(1, x.rank - axis))
    wide = weight.cast(x.precision)
    return shape.unsqueeze(wide, trailing) if trailing else wide


def _of_probabilities(
    scores: Value,
    target: Value,
    weight: Value | None,
    reduction: int,
    label_smoothing: float,
    axis: int,
) -> Value:
    scores, wanted = promote(scores, widen_half(target))
    classes = scores.size(axis).cast(scores.precision)
    if label_smoothing > 0:
        wanted = wanted * (1 - label_smoothing)
        wanted = wanted + label_smoothing / classes
    terms = scores * wanted
    if weight is not None:
        terms = terms * _along_classes(weight, scores, axis)
    losses = -reduce.reduce_sum(terms, [axis], keepdim=False)
    return reduce_losses(losses, reduction, scores)


def _smooth_loss(
    scores: Value, target: Value, weight: Value | None, reduction: int, ignore_index: int
) -> Value:
    """The part of the loss that all classes share."""
    axis = min(1, scores.rank - 1)
    terms = scores if weight is None else scores * _along_classes(weight, scores, axis)
    losses = -reduce.reduce_sum(terms, [axis], keepdim=False)
    classes = scores.size(axis).cast(scores.precision)
    there = compare.not_equal(target, ignore_index)
    losses = compare.where(there, losses / classes, 0)
    if reduction != 1:
        return reduce_losses(losses, reduction, scores)
    _, total = _negative_likelihood(scores, target, weight, 2, ignore_index)
    return recipes.reduce_losses(losses, "sum") / total


def _weigh(losses: Value, weight: Value | None) -> Value:
    if weight is None:
        return losses
    return losses * weight.cast(losses.precision)


@table.convert("aten.binary_cross_entropy.default")
def binary_cross_entropy(
    self: Value, target: Value, weight: Value | None = None, reduction: int = 1
) -> Value:
    if shapes_differ(self.shape, target.shape):
        raise BadType(f"binary_cross_entropy of {self.type} and {target.type}: shapes differ")
    x, y = _pair(self, target)
    one, floor = x.scalar(1), x.scalar(-100)  # logarithms of 0 count as -100
    yes = binary.max_(unary.log(x), floor)
    no = binary.max_(unary.log1p(-x), floor)
    losses = (y - one) * no - y * yes
    return reduce_losses(_weigh(losses, weight), reduction, self)


@table.convert("aten.binary_cross_entropy_with_logits.default")
def binary_cross_entropy_with_logits(
    self: Value,
    target: Value,
    weight: Value | None = None,
    pos_weight: Value | None = None,
    reduction: int = 1,
) -> Value:
    x, y = _pair(self, target)
    one = x.scalar(1)
    scores = log_sigmoid(x)
    if pos_weight is not None:
        extra = (pos_weight.cast(x.precision) - one) * y
        scores = scores * (extra + one)
    losses = (one - y) * x - scores
    return reduce_losses(_weigh(losses, weight), reduction, self)


@table.convert("aten.kl_div.default")
def kl_div(self: Value, target: Value, reduction: int = 1, *, log_target: bool = False) -> Value:
    x, y = _pair(self, target)
    if log_target:
        losses = unary.exp(y) * (y - x)
    else:
        zero = y.scalar(0)
        own = compare.where(compare.equal(y, zero), zero, y * unary.log(y))
        losses = own - y * x
    return reduce_losses(losses, reduction, promote(self, target)[0])


@table.convert("aten.soft_margin_loss.default")
def soft_margin_loss(self: Value, target: Value, reduction: int = 1) -> Value:
    x, y = _pair(self, target)
    return reduce_losses(unary.log1p(unary.exp(-y * x)), reduction, self)


def _above_zero(x: Value) -> Value:
    return binary.max_(x, 0)


@table.convert("aten.hinge_embedding_loss.default")
def hinge_embedding_loss(
    self: Value, target: Value, margin: float = 1.0, reduction: int = 1
) -> Value:
    if not self.is_float:
        raise Unsupported(f"hinge_embedding_loss of {self.type}")
    x, y = _pair(self, target)
    zero = x.scalar(0)
    far = compare.where(compare.not_equal(y, 1), _above_zero(margin - x), zero)
    near = compare.where(compare.not_equal(y, -1), x, zero)
    return reduce_losses(far + near, reduction, self)


@table.convert("aten.margin_ranking_loss.default")
def margin_ranking_loss(
    input1: Value, input2: Value, target: Value, margin: float = 0.0, reduction: int = 1
) -> Value:
    given = promote(input1, input2, target)
    a, b, y = (widen_half(v) for v in given)
    (ranked,) = promote_to_float(-y * (a - b))
    return reduce_losses(_above_zero(ranked + margin), reduction, promote_to_float(*given)[0])


@table.convert("aten.cosine_embedding_loss.default")
def cosine_embedding_loss(
    input1: Value, input2: Value, target: Value, margin: float = 0.0, reduction: int = 1
) -> Value:
    a, b = _pair(input1, input2)
    likeness = cosine_similarity(a, b, a.rank - 1)
    zero, one = a.scalar(0), a.scalar(1)
    y = target.cast(a.precision)
    near = compare.where(compare.equal(y, one), one - likeness, zero)
    apart = _above_zero(likeness - margin)
    far = compare.where(compare.equal(y, -one), apart, zero)
    return reduce_losses(near + far, reduction, promote(input1, input2)[0])


@table.convert("aten.poisson_nll_loss.default")
def poisson_nll_loss(
    input: Value, target: Value, log_input: bool, full: bool, eps: float, reduction: int
) -> Value:
    x, y = _pair(input, target)
    losses = unary.exp(x) - y * x if log_input else x - y * unary.log(x + eps)
    if full:  # Stirling's formula for the logarithm of the factorial, above 1
        term = y * unary.log(y) - y
        turn = unary.log(y * (2 * math.pi)) * 0.5
        above = y > 1
        extra = compare.where(above, term + turn, 0)
        losses = losses + extra
    return reduce_losses(losses, reduction, promote(input, target)[0])


@table.convert("aten.triplet_margin_loss.default")
def triplet_margin_loss(
    anchor: Value,
    positive: Value,
    negative: Value,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: int = 1,
) -> Value:
    given = promote(anchor, positive, negative)
    if given[0].precision in COMPLEX:
        raise Unsupported(f"triplet_margin_loss of {given[0].type}")
    a, near, far = (widen_half(v) for v in given)
    close, apart = (pairwise_distance(a, v, p, eps) for v in (near, far))
    if swap:
        apart = binary.min_(apart, pairwise_distance(near, far, p, eps))
    excess = close - apart + margin
    return reduce_losses(_above_zero(excess), reduction, promote_to_float(*given)[0])


@table.convert("aten.multi_margin_loss.default")
def multi_margin_loss(
    self: Value,
    target: Value,
    p: Number = 1,
    margin: Number = 1,
    weight: Value | None = None,
    reduction: int = 1,
) -> Value:
    """max(0, margin - x[y] + x[i])**p over the classes i other than y, by their number."""
    if p not in (1, 2) or isinstance(margin, complex):
        raise Unsupported(f"multi_margin_loss with p={p!r} and margin={margin!r}")
    x = widen_half(self)
    if x.rank < 2:
        x = shape.reshape(x, [1, -1])
    y = shape.reshape(target, [-1, 1])
    own = index.gather_elements(x, y, axis=1)
    gaps = margin - own + x
    above = gaps > 0  # which NaN is not
    gaps = unary.square(gaps) if p == 2 else gaps
    if weight is not None:
        gaps = gaps * index.gather(weight.cast(x.precision), y, axis=0)
    gaps = compare.where(above, gaps, 0)
    classes = generate.range_(y.model.constant(0), x.size(1), y.model.constant(1))
    others = compare.where(compare.equal(classes, y), 0, gaps)
    losses = reduce.reduce_mean(others, [1], keepdim=False)
    if target.rank == 0 and reduction == 0:
        losses = shape.reshape(losses, losses.model.constant(np.zeros(0, np.int64)))
    return reduce_losses(losses, reduction, self)
