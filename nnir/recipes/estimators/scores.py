"""Scores of estimators: the numbers that they work in, post-transforms, and labels of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ...errors import BadType, Unsupported
from ...model import Value
from ...ops import activation, compare, index, reduce, shape, unary
from ...types import Precision

Transform = Literal["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
"""What becomes of scores at the end."""

Floats = tuple[float, ...]
Ints = tuple[int, ...]
Labels = Sequence[int]
NEARLY_ZERO = 1e-7


def to_working_precision(x: Value) -> Value:
    """In double where `x` is, else in float."""
    return x if x.precision == Precision.FLOAT64 else x.cast(Precision.FLOAT32)


def rows_of(x: Value, what: str) -> Value:
    """Data [N, F] as floats; a vector is one row."""
    if x.rank not in (1, 2):
        raise BadType(f"{what} of {x.type}, not rows")
    return (shape.unsqueeze(x, [0]) if x.rank == 1 else x).cast(Precision.FLOAT32)


def transform_scores(scores: Value, how: Transform) -> Value:
    """The scores [N, C] after a post-transform; a single column knows PROBIT alone."""
    if how == "PROBIT":
        return _probit(scores)
    if scores.shape[-1] == 1:
        return scores
    match how:
        case "LOGISTIC":
            return activation.sigmoid(scores)
        case "SOFTMAX":
            return activation.softmax(scores, axis=-1)
        case "SOFTMAX_ZERO":
            return _softmax_of_others(scores)
    return scores


def _softmax_of_others(scores: Value) -> Value:
    """A softmax that leaves out what is nearly 0, which stays so."""
    is_zero = abs(scores) <= NEARLY_ZERO
    most = reduce.reduce_max(scores, [-1])
    parts = unary.exp(scores - most)
    total = reduce.reduce_sum(compare.where(is_zero, 0, parts), [-1])
    return compare.where(is_zero, scores * unary.exp(-most), parts) / total


def _probit(p: Value) -> Value:
    """The normal quantile, by Winitzki's approximation of the inverse error function."""
    x = p * 2 - 1
    logarithm = unary.log((1 - x) * (1 + x))
    half = logarithm * 0.5 + 2 / (3.14159 * 0.147)
    root = unary.sqrt(unary.sqrt(half * half - logarithm / 0.147) - half)
    return compare.where(x < 0, -root, root) * 1.41421356


def split_score(score: Value, how: Transform, rest: Value) -> Value:
    """The scores [N, 2] of two classes, from that of the second one [N, 1]; NONE gives `rest` to
    the first."""
    if how == "PROBIT":
        raise Unsupported(
            "post_transform=PROBIT of one score for two classes, where ONNX Runtime writes half of "
            "the result"
        )
    if how == "LOGISTIC":
        return activation.sigmoid(shape.concat(-score, score, axis=-1))
    return shape.concat(rest, score, axis=-1)


def choose_label(is_second: Value, labels: Labels) -> Value:
    """One of two labels for each row of [N, 1]."""
    flat = shape.reshape(is_second, [-1])
    first, second = (flat.model.constant([label]) for label in labels[:2])
    return compare.where(flat, second, first)


def best_label(scores: Value, labels: Labels) -> Value:
    """The label of the largest score of each row of [N, C], of equal ones the first."""
    place = reduce.arg_max(scores, axis=-1, keepdim=False)
    return index.gather(scores.model.constant(labels), place)
