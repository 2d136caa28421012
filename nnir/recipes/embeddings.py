"""Embeddings of tokens, of their places and of their segments."""

from __future__ import annotations

from ..errors import BadType
from ..model import Value
from ..ops import compare, index, reduce, shape
from ..types import Precision
from .generate import constant_like


def read_embeddings(
    ids: Value,
    segments: Value | None,
    places: Value | None,
    of_tokens: Value,
    of_places: Value,
    of_segments: Value | None,
) -> list[Value]:
    """The rows of tables [entries, size] for tokens [batch, length], for their places, which are 0,
    1, ... unless they are given, and for their segments."""
    if ids.rank != 2 or (segments is None) != (of_segments is None):
        raise BadType(f"embeddings of {ids.type}, segments {segments} and {of_segments}")
    if places is None:
        length = index.slice_(shape.shape(ids, dtype=Precision.INT64), [0], [1], [2])
        lined = index.slice_(of_places, [0], [0], length)
    else:
        lined = index.gather(of_places, places, axis=0)
    rows = [index.gather(of_tokens, ids, axis=0), lined]
    if segments is not None and of_segments is not None:
        rows.append(index.gather(of_segments, segments, axis=0))
    return rows


def count_ones(mask: Value | None, ids: Value) -> Value:
    """How many ones the mask of each sample [batch, length] has, in INT32; none without a mask."""
    ones = compare.equal(constant_like(ids, 0) if mask is None else mask, 1)
    return reduce.reduce_sum(ones.cast(Precision.INT32), [1], keepdim=False)
