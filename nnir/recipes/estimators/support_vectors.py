"""Support vector machines: rows compared with the vectors that carry the decision."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...errors import BadType, Unsupported
from ...model import Model, Value
from ...ops import activation, compare, control, index, linear, reduce, shape, unary
from ...records import dataclass
from ...types import Precision
from . import scores as scoring
from .linear import project
from .scores import Floats, Ints, Labels, Transform

Kind = Literal["LINEAR", "POLY", "RBF", "SIGMOID"]
LEAST = 1e-7
STEPS = 100


@dataclass(frozen=True)
class Kernel:
    """How alike rows are to vectors; `params`: gamma, the number added, and the degree."""

    kind: Kind
    params: Floats
    vectors: Floats

    def compare(self, x: Value, count: int) -> Value:
        """The kernel [N, count] of each row [N, F] with each of `count` vectors."""
        if len(self.params) != 3:
            raise BadType(f"a kernel with {self.params}, not gamma, coef0 and degree")
        gamma, bias, degree = self.params
        if self.kind == "RBF":
            return unary.exp(_squared_distances(x, self.vectors, count) * -gamma)
        product = project(x, self.vectors, count)
        match self.kind:
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


def predict(x: Value, kernel: Kernel, count: int, coefficients: Floats, rho: Floats) -> Value:
    """The target [N, 1] of rows [N, F] from `count` vectors; without any the coefficients are those
    of the features."""
    rows = scoring.rows_of(x, "a support vector machine")
    if len(rho) != 1:
        raise BadType(f"a support vector machine with {len(rho)} numbers rho, not 1")
    return project(kernel.compare(rows, count) if count else rows, coefficients, 1) + rho


def classify(
    x: Value,
    kernel: Kernel,
    sizes: Ints,
    coefficients: Floats,
    rho: Floats,
    platt: tuple[Floats, Floats],
    labels: Labels,
    how: Transform,
) -> tuple[Value, Value]:
    """The label [N] of each row [N, F], and the scores of each two classes or, by the numbers
    `platt` of a logistic function, the probabilities of the classes.

    `sizes`: how many vectors each class has. Each score is a vote for one of two classes.
    """
    rows, count = scoring.rows_of(x, "a support vector machine"), len(labels)
    if not sizes:
        raise Unsupported("a support vector machine for classes without vectors of each")
    duels = count * (count - 1) // 2
    lengths = {len(rho), *(len(p) for p in platt if p)}
    if count < 2 or len(sizes) != count or lengths != {duels}:
        raise BadType(f"a support vector machine of {count} classes with {sorted(lengths)} scores")
    scores = _duels(kernel.compare(rows, sum(sizes)), coefficients, sizes) + rho
    label = scoring.best_label(_votes(scores, count), labels)
    if platt[0]:
        odds = activation.sigmoid(-(scores * platt[0] + (platt[1] or (0.0,) * duels)))
        return label, scoring.transform_scores(_couple(odds, count), how)
    if count == 2:
        return label, scoring.split_score(scores, how, -scores if how == "NONE" else 1 - scores)
    return label, scoring.transform_scores(scores, how)


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
