"""Features for classical models."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import features

from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs

table = Lowerings[Ref]()


@table.lower(features.tf_idf_vectorizer, implied=features.tf_idf_vectorizer.attributes)
def tf_idf_vectorizer(g: Emitter, input: Value) -> Refs:
    how = g.operation.attributes
    grams = [rows for _, rows in features.pools(how["ngram_counts"], how["pool_int64s"])]
    used = grams[how["min_gram_length"] - 1 : how["max_gram_length"]]
    is_once = all(len(np.unique(rows, axis=0)) == len(rows) for rows in used)
    g.need(is_once, "knows no pool that has an n-gram twice")
    return g.native("TfIdfVectorizer", [input], how)
