"""Round weights one after the other, so that later ones make up for what earlier ones lose.

Source: Frantar et al., "GPTQ: Accurate Post-Training Quantization for Generative Pre-trained
Transformers", 2022.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model import Operation, Value
from ..ops import linear
from ..records import dataclass
from .grid import SMALLEST_SCALE
from .roles import data_of, summed_axis, weights_of
from .weights import Integers

DAMPENING = 0.01
"""So much of its average is added to the diagonal of X^T X."""

BATCH = 128
"""After so many weights all later ones are adapted at once."""

ROUNDS = 3
"""How often all weights are rounded, each time by scales that fit the last time."""


def input_to_sum(operation: Operation) -> tuple[Value, int] | None:
    """What is multiplied with the matrix of weights of an operation, and the axis along which the
    products are added; None where weights are no matrix."""
    weights = weights_of(operation)
    if weights is None or weights.rank != 2 or summed_axis(operation, weights) is None:
        return None
    first, second = data_of(operation)
    if operation.operator is linear.fully_connected or first.rank == 1:
        return first, -1
    if weights is second:
        return first, -2 if operation.attributes["transpose_x"] else -1
    return second, -1 if operation.attributes["transpose_y"] or second.rank == 1 else -2


def round_second_order(
    matrix: np.ndarray, axis: int, gram: np.ndarray, start: Integers, limits: tuple[int, int]
) -> Integers:
    """Weights whose products with inputs are nearer the exact ones than those of `start` are.

    `matrix` is summed along `axis`, `gram` is X^T X of inputs X of shape [samples, summed]. `start`
    are the nearest integers: their scales are the first ones, and their zero points stay. Integers
    lie within `limits`. No row of the result has a larger squared error on these inputs.
    """
    rows = _Rows.of(matrix, axis, gram, start, limits)
    order = np.argsort(-np.diag(gram), kind="stable")
    factor = _inverse_factor(gram[np.ix_(order, order)])
    best = _Rounded(rows.steps_of(start), rows.scales_of(start))
    fits = start.scales.size > 1 or len(rows.weights) == 1
    scales = best.scales
    for _ in range(ROUNDS):
        made = _Rounded(rows.round(scales, order, factor), scales)
        best = rows.better(best, made)
        if not fits:
            break
        scales = rows.fit(made)
        best = rows.better(best, _Rounded(made.steps, scales))
    return rows.integers(best, start)


def _inverse_factor(gram: np.ndarray) -> np.ndarray:
    """The upper triangle U with U^T U = (gram + dampening)^-1."""
    diagonal = np.diag(gram)
    dampening = DAMPENING * float(diagonal.mean()) or 1.0
    whole = gram + np.diag(np.full(diagonal.shape, dampening))
    return np.asarray(np.linalg.cholesky(np.linalg.inv(whole)).T)


@dataclass(frozen=True)
class _Rounded:
    """How many scales each weight is away from 0, and the scale of each block of each row."""

    steps: np.ndarray
    scales: np.ndarray


@dataclass(frozen=True)
class _Rows:
    """Weights with the summed axis last, in blocks of `width` with a zero point each."""

    weights: np.ndarray
    axis: int
    gram: np.ndarray
    width: int
    zeros: np.ndarray
    limits: tuple[int, int]

    @classmethod
    def of(
        cls,
        matrix: np.ndarray,
        axis: int,
        gram: np.ndarray,
        start: Integers,
        limits: tuple[int, int],
    ) -> _Rows:
        weights = np.moveaxis(matrix, axis, -1).astype(np.float64)
        width = start.block or weights.shape[1]
        bare = cls(weights, axis, gram, width, np.zeros(()), limits)
        return replace(bare, zeros=bare._by_blocks(start.zero_points, start))

    def _by_blocks(self, each: np.ndarray, whole: Integers) -> np.ndarray:
        """What belongs to scales, as [rows, blocks]."""
        if whole.block:
            return np.moveaxis(each, self.axis, -1).astype(np.float64)
        column = each.reshape(-1, 1).astype(np.float64)
        return np.broadcast_to(column, (len(self.weights), 1))

    def _spread(self, each: np.ndarray) -> np.ndarray:
        """What belongs to blocks, for each weight."""
        return np.repeat(each, self.width, axis=1)[:, : self.weights.shape[1]]

    def scales_of(self, whole: Integers) -> np.ndarray:
        return self._by_blocks(whole.scales, whole)

    def steps_of(self, whole: Integers) -> np.ndarray:
        data = np.moveaxis(whole.data, self.axis, -1).astype(np.float64)
        return np.asarray(data - self._spread(self.zeros))

    def integers(self, found: _Rounded, start: Integers) -> Integers:
        """The result in the form of `start`."""
        data = np.moveaxis(found.steps + self._spread(self.zeros), -1, self.axis)
        scales = found.scales.astype(np.float32)
        if start.block:
            scales = np.moveaxis(scales, -1, self.axis)
        elif start.scales.size == 1:
            scales = scales[:1]
        return replace(
            start,
            data=np.ascontiguousarray(data).astype(np.int16).astype(start.precision.dtype),
            scales=np.ascontiguousarray(scales).reshape(start.scales.shape),
        )

    def round(self, scales: np.ndarray, order: np.ndarray, factor: np.ndarray) -> np.ndarray:
        """Integers by these scales: what a weight loses is taken from those behind it in `order`,
        by the upper triangle `factor` of the inverse of X^T X."""
        left = np.ascontiguousarray(self.weights.T[order])
        sizes = np.ascontiguousarray(self._spread(scales).T[order])
        zeros = np.ascontiguousarray(self._spread(self.zeros).T[order])
        low, high = self.limits[0] - zeros, self.limits[1] - zeros
        steps = np.empty_like(left)
        for first in range(0, len(left), BATCH):
            last = min(first + BATCH, len(left))
            errors = np.empty((last - first, left.shape[1]))
            for k in range(first, last):
                steps[k] = np.clip(np.rint(left[k] / sizes[k]), low[k], high[k])
                errors[k - first] = (left[k] - steps[k] * sizes[k]) / factor[k, k]
                left[k + 1 : last] -= np.outer(factor[k, k + 1 : last], errors[k - first])
            left[last:] -= factor[first:last, last:].T @ errors
        found = np.empty_like(steps)
        found[order] = steps
        return np.ascontiguousarray(found.T)

    def fit(self, rounded: _Rounded) -> np.ndarray:
        """The scales that suit integers best: least squares, one block after the other."""
        scales = rounded.scales.copy()
        lost = self._lost(rounded)
        for block in range(scales.shape[1]):
            inside = slice(block * self.width, (block + 1) * self.width)
            steps = rounded.steps[:, inside]
            pull = ((lost @ self.gram[:, inside]) * steps).sum(axis=1)
            weight = ((steps @ self.gram[inside, inside]) * steps).sum(axis=1)
            wanted = scales[:, block] + np.divide(
                pull, weight, out=np.zeros_like(pull), where=weight > 0
            )
            new = np.where(wanted > SMALLEST_SCALE, wanted, scales[:, block]).astype(np.float32)
            lost[:, inside] -= (new - scales[:, block])[:, None] * steps
            scales[:, block] = new
        return scales

    def _lost(self, rounded: _Rounded) -> np.ndarray:
        return np.asarray(self.weights - rounded.steps * self._spread(rounded.scales))

    def _errors(self, rounded: _Rounded) -> np.ndarray:
        """The squared error of each row's products."""
        lost = self._lost(rounded)
        return np.asarray(((lost @ self.gram) * lost).sum(axis=1))

    def better(self, first: _Rounded, second: _Rounded) -> _Rounded:
        """Of each row what has the smaller error; of all rows where they share a scale."""
        errors = self._errors(first), self._errors(second)
        is_better = (errors[1] < errors[0])[:, None]
        return _Rounded(
            np.where(is_better, second.steps, first.steps),
            np.where(is_better, second.scales, first.scales),
        )
