"""Features for classical models."""

from __future__ import annotations

from nnir.ops import features

from ...lowering import Lowerings
from .emitter import Ref

table = Lowerings[Ref]()
table.native(features.tf_idf_vectorizer, "TfIdfVectorizer", *features.tf_idf_vectorizer.attributes)
