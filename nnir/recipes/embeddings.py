"""Embeddings of tokens, of their places and of their segments, added up and normalised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import BadType
from ..model import Value
from ..ops import compare, index, reduce, shape
from ..types import Precision
from .generate import constant_like


@dataclass(frozen=True)
class Embedding:
    """A table [entries, size]; `real` makes real numbers of the rows that are read."""

    rows: Value
    real: Callable[[Value], Value] | None = None

    def at(self, places: Value) -> Value:
        """The rows at places."""
        return self._real(index.gather(self.rows, places, axis=0))

    def first(self, ids: Value) -> Value:
        """As many rows as there are tokens in each sample of [batch, length]."""
        length = index.slice_(shape.shape(ids, dtype=Precision.INT64), [0], [1], [2])
        return self._real(index.slice_(self.rows, [0], [0], length))

    def _real(self, rows: Value) -> Value:
        return rows if self.real is None else self.real(rows)


def embed_tokens(
    ids: Value,
    segments: Value | None,
    places: Value | None,
    of_tokens: Embedding,
    of_places: Embedding,
    of_segments: Embedding | None,
) -> Value:
    """The sum [batch, length, size] for tokens [batch, length]; without `places` these are 0, 1,
    ..."""
    if ids.rank != 2 or (segments is not None and of_segments is None):
        raise BadType(f"embeddings of {ids.type} and segments {segments}")
    total = of_tokens.at(ids)
    total = total + (of_places.first(ids) if places is None else of_places.at(places))
    if segments is not None and of_segments is not None:
        total = total + of_segments.at(segments)
    return total


def count_ones(mask: Value | None, ids: Value) -> Value:
    """How many ones the mask of each sample [batch, length] has, in INT32; none without a mask."""
    ones = compare.equal(constant_like(ids, 0) if mask is None else mask, 1)
    return reduce.reduce_sum(ones.cast(Precision.INT32), [1], keepdim=False)
