"""Features of texts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import build
from ..dim import Expr
from ..model import Value
from ..ops import binary, compare, features, index, linear, logic, reduce, shape
from ..types import Precision


@features.tf_idf_vectorizer.decomposes()
def _tf_idf_vectorizer(
    input: Value,
    *,
    mode: str,
    min_gram_length: int,
    max_gram_length: int,
    max_skip_count: int,
    ngram_counts: tuple[int, ...],
    ngram_indexes: tuple[int, ...],
    pool_int64s: tuple[int, ...],
    weights: tuple[float, ...],
) -> Value:
    """Every window beside every n-gram of its length, counted, then put into its column."""
    rows = (shape.unsqueeze(input, [0]) if input.rank == 1 else input).cast(Precision.INT64)
    counts = []
    for n, (_, grams) in enumerate(features.pools(ngram_counts, pool_int64s), 1):
        is_asked = min_gram_length <= n <= max_gram_length
        steps = range(1, 2 if n == 1 else max_skip_count + 2) if is_asked else ()
        if len(grams):
            counts.append(_counts(rows, grams, list(steps)))
    total = shape.concat(*counts, axis=1)
    if mode == "IDF":
        total = (total > 0).cast(Precision.FLOAT32)
    if weights and mode != "TF":
        total = total * input.model.constant(weights, "float32")
    result = _by_columns(total, ngram_indexes)
    if mode == "IDF" and not weights:
        result = binary.min_(result, result.scalar(1))
    return shape.squeeze(result, [0]) if input.rank == 1 else result


def _counts(rows: Value, grams: np.ndarray, steps: list[int]) -> Value:
    """How often each n-gram occurs in each row, with so many steps between its numbers."""
    total = rows.model.constant(np.zeros((1, len(grams)), np.float32))
    for step in steps:
        for hits in _hits(rows, grams, step):
            total = total + reduce.reduce_sum(hits.cast(Precision.FLOAT32), [1], keepdim=False)
    last = [not (grams[k + 1 :] == gram).all(axis=1).any() for k, gram in enumerate(grams)]
    wanted = rows.model.constant(np.array(last, np.float32))
    sizes = build.vector(rows.model, [build.size_of(rows, 0), len(grams)])
    return shape.expand(total if all(last) else total * wanted, sizes)


def _hits(rows: Value, grams: np.ndarray, step: int) -> Iterator[Value]:
    """Which window of each row is which n-gram, [B, windows, n-grams]; nothing for short rows."""
    n, size = grams.shape[1], rows.shape[1]
    if not isinstance(size, Expr) and size <= (n - 1) * step:
        return
    found: Value | None = None
    for k in range(n):
        behind = (n - 1 - k) * step
        numbers = index.slice_(rows, [1], [k * step], [-behind if behind else build.END])
        numbers = shape.unsqueeze(numbers, [2])
        equal = compare.equal(numbers, rows.model.constant(grams[None, None, :, k]))
        found = equal if found is None else logic.and_(found, equal)
    if found is not None:
        yield found


def _by_columns(counts: Value, columns: tuple[int, ...]) -> Value:
    """The sums of what belongs to each column."""
    width = max(columns, default=-1) + 1
    if sorted(columns) == list(range(width)):
        return index.gather(counts, np.argsort(columns), axis=1)
    places = np.zeros((len(columns), width), np.float32)
    places[np.arange(len(columns)), list(columns)] = 1
    return linear.mat_mul(counts, counts.model.constant(places))
