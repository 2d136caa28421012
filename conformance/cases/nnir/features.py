"""How often n-grams occur, counted one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from nnir.ops import features

from ...case import i
from .direct import DirectCase


def tf_idf(
    input: np.ndarray,
    *,
    mode: str,
    min_gram_length: int,
    max_gram_length: int,
    max_skip_count: int,
    ngram_counts: tuple[int, ...],
    ngram_indexes: tuple[int, ...],
    pool_int64s: tuple[int, ...],
    weights: tuple[float, ...] = (),
) -> np.ndarray:
    """Row by row, from every number on; of equal n-grams in the pool the last one counts."""
    ends = (*ngram_counts[1:], len(pool_int64s))
    grams = [
        pool_int64s[k : k + n]
        for n, (first, end) in enumerate(zip(ngram_counts, ends, strict=True), 1)
        for k in range(first, end, n)
    ]
    found = []
    for row in np.atleast_2d(input).tolist():
        counts = [0.0] * len(grams)
        for gram in _grams_of(row, min_gram_length, max_gram_length, max_skip_count):
            if gram in grams:
                counts[len(grams) - 1 - grams[::-1].index(gram)] += 1
        columns = [0.0] * (max(ngram_indexes) + 1)
        for k, (count, column) in enumerate(zip(counts, ngram_indexes, strict=True)):
            value = min(count, 1) if mode == "IDF" else count
            columns[column] += value * weights[k] if weights and mode != "TF" else value
        found.append([min(c, 1) for c in columns] if mode == "IDF" and not weights else columns)
    return np.array(found, np.float32).reshape(*input.shape[:-1], -1)


def _grams_of(row: list[int], least: int, most: int, skips: int) -> Iterator[tuple[int, ...]]:
    for n in range(least, most + 1):
        for step in range(1, 2 if n == 1 else skips + 2):
            for start in range(len(row) - (n - 1) * step):
                yield tuple(row[start + k * step] for k in range(n))


ROWS = i([3, 5, 3, 1, 5, 3], [5, 3, 3, 3, 5, 1], [1, 1, 9, 3, 1, 1])
GRAMS: dict[str, Any] = {
    "mode": "TF",
    "min_gram_length": 1,
    "max_gram_length": 3,
    "max_skip_count": 0,
    "ngram_counts": (0, 3, 9),
    "pool_int64s": (3, 5, 3, 3, 5, 5, 3, 3, 3, 3, 5, 3, 3, 3, 5),
    "ngram_indexes": (0, 2, 1, 4, 3, 5, 6, 8),
}
WEIGHTS = (0.5, 2.0, -1.0, 3.0, 0.25, 1.5, 4.0, -2.0)
SHARED = (0, 2, 1, 1, 3, 2, 4, 0)


def _row(why: str, data: np.ndarray = ROWS, **given: Any) -> DirectCase:
    return DirectCase(features.tf_idf_vectorizer, (data,), GRAMS | given, tf_idf, why=why)


CASES = [
    *(_row(f"{skips} skips", max_skip_count=skips) for skips in (0, 1, 2, 9)),
    *(
        _row(f"from {least} to {most} numbers", min_gram_length=least, max_gram_length=most)
        for least, most in ((1, 1), (2, 2), (2, 3), (3, 3))
    ),
    *(
        _row(f"{mode}, {why}", mode=mode, max_skip_count=1, **given)
        for mode in ("TF", "IDF", "TFIDF")
        for why, given in (
            ("weighed", {"weights": WEIGHTS}),
            ("columns that are shared", {"ngram_indexes": SHARED}),
            ("columns in another order", {"ngram_indexes": (3, 1, 0, 2, 7, 5, 6, 4)}),
        )
    ),
    replace(_row("rows of any number", max_skip_count=1), is_open=True),
    *(_row(f"a row of {n}", np.ascontiguousarray(ROWS[1, :n])) for n in (1, 2, 6)),
]
