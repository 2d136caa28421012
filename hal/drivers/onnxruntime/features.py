"""Features for classical models."""

from __future__ import annotations

from typing import Any

from nnir.model import Value
from nnir.ops import features
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter

table = Lowerings()


@table.lower(features.tf_idf_vectorizer)
def tf_idf_vectorizer(
    g: Emitter,
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
) -> Any:
    return g.node(
        "TfIdfVectorizer",
        input,
        precision=Precision.FLOAT32,
        mode=mode,
        min_gram_length=min_gram_length,
        max_gram_length=max_gram_length,
        max_skip_count=max_skip_count,
        ngram_counts=ngram_counts,
        ngram_indexes=ngram_indexes,
        pool_int64s=pool_int64s,
        weights=weights or None,
    )
