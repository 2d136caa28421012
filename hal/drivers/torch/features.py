"""Features for classical models; trees are decomposed."""

from __future__ import annotations

import numpy as np
import torch

from nnir.model import Value
from nnir.ops import features

from ...attributes import Floats, Ints
from ...lowering import Lowerings
from .borders import count_beside
from .emitter import Emitter, Result

table = Lowerings[Result]()


def count_grams(
    rows: torch.Tensor,
    grams: list[torch.Tensor],
    steps: list[list[int]],
    columns: list[int],
    total: int,
) -> torch.Tensor:
    """How often each n-gram occurs in each row; of equal ones the last counts."""
    counts = rows.new_zeros([rows.shape[0], total], dtype=torch.float32)
    for pool, distances, first in zip(grams, steps, columns, strict=True):
        number, width = pool.shape
        for step in distances:
            many = rows.shape[1] - (width - 1) * step
            if many <= 0:
                break
            at = count_beside(rows, many)[:, None]
            at = at + count_beside(rows, width) * step
            same = (rows[:, at][:, :, None] == pool).all(-1)  # [rows, windows, n-grams]
            later = torch.flip(torch.cumsum(torch.flip(same.to(torch.int64), [2]), 2), [2])
            counts[:, first : first + number] += (same & (later == 1)).sum(1)
    return counts


@table.lower(features.tf_idf_vectorizer)
def tf_idf_vectorizer(
    g: Emitter,
    input: Value,
    *,
    mode: str,
    min_gram_length: int,
    max_gram_length: int,
    max_skip_count: int,
    ngram_counts: Ints,
    ngram_indexes: Ints,
    pool_int64s: Ints,
    weights: Floats,
) -> Result:
    rows = g.index(input)
    rows = rows.unsqueeze(0) if input.rank == 1 else rows
    grams, steps, columns = [], [], []
    for n, (first, found) in enumerate(features.pools(ngram_counts, pool_int64s), 1):
        if min_gram_length <= n <= max_gram_length and len(found):
            grams.append(g.constant(found))
            steps.append(list(range(1, 2 if n == 1 else max_skip_count + 2)))
            columns.append(first)
    counts = g.call(count_grams, rows, grams, steps, columns, len(ngram_indexes))
    if mode == "IDF":
        counts = (counts > 0).to(torch.float32)
    if weights and mode != "TF":
        counts = counts * g.constant(np.array(weights, np.float32))
    width = max(ngram_indexes, default=-1) + 1
    places = g.constant(np.array(ngram_indexes, np.int64))
    result = counts.new_zeros([rows.shape[0], width])
    result = torch.index_add(result, 1, places, counts)
    if mode == "IDF" and not weights:
        result = torch.clamp(result, max=1)
    return result.squeeze(0) if input.rank == 1 else result
