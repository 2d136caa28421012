"""Features for classical models."""

from __future__ import annotations

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import features
from nnir.types import Precision

from ...attributes import Floats, Ints
from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()


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
) -> Ref:
    grams = [rows for _, rows in features.pools(ngram_counts, pool_int64s)]
    used = grams[min_gram_length - 1 : max_gram_length]
    if any(len(np.unique(rows, axis=0)) < len(rows) for rows in used):
        raise NoLowering("onnxruntime knows no pool that has an n-gram twice")
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
