"""ONNX linear models and support vector machines, of the domain ai.onnx.ml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.model import Model, Value
from nnir.ops import activation, compare, control, index, linear, reduce, shape, unary
from nnir.types import Precision

from ...table import Attributes, Floats, Ints, Table
from . import scores as scoring
from .scores import ML, Transform

table = Table()
LEAST = 1e-7
STEPS = 100


@table.convert(ML + "LinearRegressor")
def linear_regressor(
    x: Value,
    *,
    coefficients: Floats = (),
    intercepts: Floats = (),
    post_transform: Transform = "NONE",
    targets: int = 1,
) -> Value:
    if x.rank != 2 or targets < 1 or len(intercepts) not in (0, targets):
        raise BadType(f"LinearRegressor of {x.type} with {targets} targets")
    wide = scoring.to_working_precision(x)
    result = _project(wide, coefficients, targets)
    if intercepts:
        result = result + intercepts
    return scoring.transform_scores(result.cast(Precision.FLOAT32), post_transform)


def _project(x: Value, coefficients: Floats, count: int) -> Value:
    """The products of rows with `count` rows of coefficients."""
    rows = np.array(coefficients, x.dtype)
    if count < 1 or not rows.size or rows.size % count:
        raise BadType(f"{rows.size} coefficients of {count} rows")
    return linear.mat_mul(x, x.model.constant(np.ascontiguousarray(rows.reshape(count, -1).T)))


def _rows(op: str, x: Value) -> Value:
    """The data as rows of floats; a vector is one row."""
    if x.rank not in (1, 2):
        raise BadType(f"{op} of {x.type}, not rows")
    return (shape.unsqueeze(x, [0]) if x.rank == 1 else x).cast(Precision.FLOAT32)


@table.convert(ML + "LinearClassifier")
def linear_classifier(
    x: Value,
    *,
    classlabels_ints: Ints,
    coefficients: Floats,
    intercepts: Floats,
    multi_class: int = 0,
    post_transform: Transform = "NONE",
) -> tuple[Value, Value]:
    """As many scores as intercepts; a single one is that of the second of two classes."""
    rows, count = _rows("LinearClassifier", x), len(intercepts)
    scoring.require_labels("LinearClassifier", classlabels_ints, max(count, 2))
    scores = _project(rows, coefficients, count) + intercepts
    if count == 1:
        label = scoring.choose_label(scores > 0, classlabels_ints)
        return label, scoring.split_score(scores, post_transform, 1 - scores)
    return scoring.best_label(scores, classlabels_ints, count), scoring.transform_scores(
        scores, post_transform
    )


@dataclass(frozen=True)
class Kernel(Attributes):
    """How alike rows are to support vectors."""

    kernel_params: Floats
    kernel_type: Literal["LINEAR", "POLY", "RBF", "SIGMOID"] = "LINEAR"
    support_vectors: Floats = ()

    def compare(self, x: Value, count: int) -> Value:
        """The kernel of each row [N, F] with each of `count` vectors."""
        return self.apply(x, self.support_vectors, count)

    def apply(self, x: Value, vectors: Floats, count: int) -> Value:
        """The kernel of each row with each of some vectors."""
        if len(self.kernel_params) != 3:
            raise BadType(f"kernel_params={self.kernel_params}, not gamma, coef0 and degree")
        gamma, bias, degree = self.kernel_params
        if self.kernel_type == "RBF":
            return unary.exp(_squared_distances(x, vectors, count) * -gamma)
        product = _project(x, vectors, count)
        match self.kernel_type:
            case "POLY":
                return (product * gamma + bias) ** degree
            case "SIGMOID":
                return activation.tanh(product * gamma + bias)
        return product


def _squared_distances(x: Value, vectors: Floats, count: int) -> Value:
    """[N, count], summed feature by feature, as a difference of squares would cancel."""
    if not vectors or len(vectors) % count:
        raise BadType(f"{len(vectors)} numbers of {count} support vectors")
    rows = x.model.constant(np.array(vectors, x.dtype).reshape(count, -1))
    return reduce.reduce_sum(unary.square(shape.unsqueeze(x, [1]) - rows), [2], keepdim=False)


@table.convert(ML + "SVMRegressor")
def svm_regressor(
    x: Value,
    *,
    coefficients: Floats,
    kernel: Kernel,
    n_supports: int = 0,
    one_class: bool = False,
    post_transform: Transform = "NONE",
    rho: Floats,
) -> Value:
    """Without support vectors the coefficients are those of the features."""
    rows = _rows("SVMRegressor", x)
    if len(rho) != 1:
        raise BadType(f"SVMRegressor with {len(rho)} numbers rho, not 1")
    if n_supports:
        score = _project(kernel.compare(rows, n_supports), coefficients, 1) + rho
    else:
        score = _project(rows, coefficients, 1) + rho
    if one_class:
        return compare.where(score > 0, score.scalar(1), -1)
    return scoring.transform_scores(score, post_transform)


@table.convert(ML + "SVMClassifier")
def svm_classifier(
    x: Value,
    *,
    classlabels_ints: Ints,
    coefficients: Floats,
    kernel: Kernel,
    post_transform: Transform = "NONE",
    prob_a: Floats = (),
    prob_b: Floats = (),
    rho: Floats,
    vectors_per_class: Ints = (),
) -> tuple[Value, Value]:
    """Each two classes have a score, which is a vote for one of them, or with `prob_a` and
    `prob_b` the odds between them."""
    rows, count = _rows("SVMClassifier", x), len(classlabels_ints)
    if not vectors_per_class:
        raise Unsupported("SVMClassifier without vectors_per_class, not one with support vectors")
    duels = count * (count - 1) // 2
    lengths = {len(rho), *(len(p) for p in (prob_a, prob_b) if p)}
    if count < 2 or len(vectors_per_class) != count or lengths != {duels}:
        raise BadType(f"SVMClassifier of {count} classes with {sorted(lengths)} scores")
    scores = _duels(kernel.compare(rows, sum(vectors_per_class)), coefficients, vectors_per_class)
    scores = scores + rho
    label = scoring.best_label(_votes(scores, count), classlabels_ints, count)
    if prob_a:
        odds = activation.sigmoid(-(scores * prob_a + (prob_b or (0.0,) * duels)))
        return label, scoring.transform_scores(_couple(odds, count), post_transform)
    if count == 2:
        rest = -scores if post_transform == "NONE" else 1 - scores
        return label, scoring.split_score(scores, post_transform, rest)
    return label, scoring.transform_scores(scores, post_transform)


def _pairs(count: int) -> list[tuple[int, int]]:
    """Each two of the classes, in the order of their scores."""
    return [(a, b) for a in range(count) for b in range(a + 1, count)]


def _duels(kernels: Value, coefficients: Floats, sizes: Ints) -> Value:
    """The scores of each two classes: the vectors of both weigh, each class in its row against
    the other."""
    total, count = sum(sizes), len(sizes)
    if min(sizes) < 0 or len(coefficients) != total * (count - 1):
        raise BadType(f"{len(coefficients)} coefficients of {total} support vectors")
    given = np.array(coefficients, np.float32).reshape(count - 1, total)
    ends = np.cumsum(sizes)
    weights = np.zeros((total, len(_pairs(count))), np.float32)
    for duel, (a, b) in enumerate(_pairs(count)):
        for own, other in ((a, b - 1), (b, a)):
            at = slice(ends[own] - sizes[own], ends[own])
            weights[at, duel] = given[other, at]
    return linear.mat_mul(kernels, kernels.model.constant(weights))


def _votes(scores: Value, count: int) -> Value:
    """How many duels each class wins; the second one also where the score is no number."""
    pairs = _pairs(count)
    first, second = (np.zeros((len(pairs), count), np.float32) for _ in range(2))
    for duel, (a, b) in enumerate(pairs):
        first[duel, a] = second[duel, b] = 1
    wins = (scores > 0).cast(Precision.FLOAT32)
    model = scores.model
    return linear.mat_mul(wins, model.constant(first)) + linear.mat_mul(
        1 - wins, model.constant(second)
    )


def _couple(odds: Value, count: int) -> Value:
    """The probabilities of the classes from those of each two, as LIBSVM finds them.

    The second method of Wu, Lin and Weng, Probability Estimates for Multi-class Classification by
    Pairwise Coupling: rounds over the classes until a row's error is small.
    """
    matrix = _coupling(activation.clip(odds, LEAST, 1 - LEAST), count)
    start = shape.expand(
        odds.model.constant(np.full((1, count), 1 / count, np.float32)),
        shape.concat(shape.reshape(odds.size(0), [1]), odds.model.constant([count]), axis=0),
    )
    body = Model("coupling", odds.model)
    step = body.input("step", odds.model.constant(np.int64(0)).type)
    p = body.input("probabilities", start.type)
    q = body.input("matrix", matrix.type)
    going = _is_far(q, p, count)
    moved = compare.where(going, _improve(q, p, count), p)
    more = (step + 1 < max(STEPS, count)) & _any(_is_far(q, moved, count))
    body.outputs = [more, step + 1, moved]
    first = odds.model.constant(np.int64(0))
    go = _any(_is_far(matrix, start, count))
    _, result = control.while_(go, first, start, matrix, body=body, carried=2)
    return result


def _coupling(odds: Value, count: int) -> Value:
    """The matrix Q [N, C, C], whose quadratic form the probabilities make smallest."""
    pairs = _pairs(count)
    signs = np.zeros((len(pairs), count, count), np.float32)
    offsets = np.zeros((count, count), np.float32)
    for duel, (a, b) in enumerate(pairs):
        signs[duel, a, b], signs[duel, b, a], offsets[b, a] = 1, -1, 1
    model = odds.model
    flat = linear.mat_mul(odds, model.constant(signs.reshape(len(pairs), -1)))
    each = shape.reshape(flat, [-1, count, count]) + model.constant(offsets)
    own = reduce.reduce_sum(unary.square(each), [1])
    diagonal = own * model.constant(np.eye(count, dtype=np.float32))
    return diagonal - each * shape.transpose(each, perm=(0, 2, 1))


def _products(q: Value, p: Value) -> tuple[Value, Value]:
    """Q p [N, C] and p' Q p [N, 1]."""
    each = reduce.reduce_sum(q * shape.unsqueeze(p, [1]), [2], keepdim=False)
    return each, reduce.reduce_sum(p * each, [1])


def _is_far(q: Value, p: Value, count: int) -> Value:
    """Whether the error of a row is not small yet, [N, 1]."""
    each, total = _products(q, p)
    return reduce.reduce_max(abs(each - total), [1]) >= 0.005 / count


def _improve(q: Value, p: Value, count: int) -> Value:
    """One round: each probability in turn takes its best value, and the sum stays 1."""
    each, total = _products(q, p)
    for t in range(count):
        row = index.gather(q, t, axis=1)
        own, error = index.gather(row, [t], axis=1), index.gather(each, [t], axis=1)
        step = (total - error) / own
        here = p.model.constant(np.eye(1, count, t, dtype=np.float32))
        total = (total + step * (step * own + error * 2)) / (step + 1) / (step + 1)
        each = (each + step * row) / (step + 1)
        p = (p + step * here) / (step + 1)
    return p


def _any(flags: Value) -> Value:
    """Whether one of all is true."""
    return reduce.reduce_max(flags.cast(Precision.INT32), [], keepdim=False) > 0
