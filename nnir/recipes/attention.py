"""Attention: weights from queries and keys, applied to values."""

from __future__ import annotations

import math

import numpy as np

from .. import build
from ..dim import Expr
from ..errors import NotConstant
from ..model import Value
from ..ops import activation, generate, linear, shape
from ..ops import attention as ops


def attend(
    query: Value,
    key: Value,
    value: Value,
    bias: Value | None,
    scale: float | None,
    *,
    blind: bool,
) -> tuple[Value, Value]:
    """softmax(query key' * scale + bias) value, and the scores; `blind` rows may see nothing."""
    scores = linear.mat_mul(scale_query(query, scale), key, transpose_y=True)
    if bias is not None:
        scores = scores + bias
    weights = (ops.safe_softmax if blind else activation.softmax)(scores, axis=-1)
    return linear.mat_mul(weights, value), scores


def scale_query(query: Value, scale: float | None) -> Value:
    """Queries times the scale, which is 1 / sqrt(size of a head) unless it is given."""
    if scale is None:
        size = query.shape[-1]
        if isinstance(size, Expr):
            raise NotConstant(f"attention of {query.type} without a scale")
        scale = 1 / math.sqrt(size) if size else 1.0
    if scale == 1:
        return query
    return query * scale


def causal_mask(query: Value, key: Value) -> Value:
    """True where the key is not after the query."""
    rows, columns = query.shape[-2], key.shape[-2]
    if not isinstance(rows, Expr) and not isinstance(columns, Expr):
        return query.model.constant(np.tri(rows, columns, dtype=np.bool_))
    places = []
    for x in (query, key):
        last = shape.reshape(
            build.vector(x.model, [build.size_of(x, x.rank - 2)]), np.zeros(0, np.int64)
        )
        places.append(generate.range_(0, last, 1))
    return places[1] <= shape.unsqueeze(places[0], [1])
