"""Scores of classical models: numbers that they work in, post-transforms, labels and binary forms.

What ONNX's text leaves open is as ONNX Runtime has it (`core/providers/cpu/ml/ml_common.h`).
"""

from __future__ import annotations

from typing import Literal

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, compare, index, reduce, shape, unary
from nnir.types import Precision

from ...table import Ints

ML = "ai.onnx.ml::"
Transform = Literal["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
NEARLY_ZERO = 1e-7


def to_working_precision(x: Value) -> Value:
    """In double where `x` is, else in float."""
    return x if x.precision == Precision.FLOAT64 else x.cast(Precision.FLOAT32)


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


def choose_label(is_second: Value, labels: Ints) -> Value:
    """One of two labels for each row of [N, 1]."""
    flat = shape.reshape(is_second, [-1])
    first, second = (flat.model.constant([label]) for label in labels[:2])
    return compare.where(flat, second, first)


def best_label(scores: Value, labels: Ints, count: int) -> Value:
    """The label of the largest of `count` scores of each row, of equal ones the first."""
    place = reduce.arg_max(scores, axis=-1, keepdim=False)
    return index.gather(scores.model.constant(labels[:count]), place)


def require_labels(op: str, labels: Ints, count: int) -> None:
    """BadType unless there is a label for each of `count` classes."""
    if len(labels) < count:
        raise BadType(f"{op} with {len(labels)} labels of {count} classes")
