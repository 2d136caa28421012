"""Attention: weights from queries and keys, applied to values."""

from __future__ import annotations

import functools
import math

import numpy as np

from .. import build
from ..dim import Expr
from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import activation, compare, generate, index, linear, shape, unary
from ..ops import attention as ops
from ..types import Precision
from .shape import split_pieces


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
    """Queries times the scale."""
    factor = scale_of(query, scale)
    return query if isinstance(factor, float) and factor == 1 else query * factor


def scale_of(query: Value, scale: float | None) -> float | Value:
    """The scale of the scores, which is 1 / sqrt(size of a head) unless it is given; a tensor [1]
    where that size is open."""
    if scale is not None:
        return scale
    size = build.size_of(query, -1)
    if isinstance(size, int):
        return 1 / math.sqrt(size) if size else 1.0
    return unary.rsqrt(size.cast(Precision.FLOAT32)).cast(query.precision)


def root_of_scale(query: Value, scale: float | None) -> float | Value:
    """The root of the scale, which both factors of the scores are multiplied by."""
    factor = scale_of(query, scale)
    if isinstance(factor, Value):
        return unary.sqrt(factor)
    if factor < 0:
        raise Unsupported(f"attention with a scale of {factor}, which has no root")
    return math.sqrt(factor)


def swap_heads(x: Value) -> Value:
    """[batch, length, heads, size] with heads and length swapped."""
    return shape.transpose(x, perm=(0, 2, 1, 3))


def bias_of_mask(mask: Value, precision: Precision) -> Value:
    """What is added to the scores: 0 where a key may be seen, -inf where not."""
    if mask.constant is not None:
        closed = np.where(mask.constant, 0, -np.inf)
        return mask.model.constant(closed, precision.dtype)
    zero, lowest = (mask.model.constant(x, precision.dtype) for x in (0, -np.inf))
    return compare.where(mask, zero, lowest)


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


def repeat_heads(x: Value, query: Value) -> Value:
    """Every head of keys or values once for each of the query heads that share it."""
    mine, theirs = x.shape[-3], query.shape[-3]
    if mine == theirs:
        return x
    count = _share_heads(query, x)
    apart, lead = shape.unsqueeze(x, [x.rank - 2]), [-1] * (x.rank - 2)
    if isinstance(count, int):
        spread = shape.expand(apart, [*lead, count, -1, -1])
        return shape.flatten(spread, start_axis=x.rank - 3, end_axis=x.rank - 2)
    *sizes, own, rows, columns = build.sizes_of(x)
    spread = shape.expand(apart, build.vector(x.model, [*sizes, own, count, rows, columns]))
    return build.reshape(spread, [*sizes, build.size_of(query, -3), rows, columns])


def _share_heads(query: Value, key: Value) -> build.Size:
    """How many query heads share one of the keys; what does not go up is found by a reshape where
    one of both is open."""
    heads = query.shape[-3], key.shape[-3]
    if not any(isinstance(n, Expr) for n in heads) and (not heads[1] or heads[0] % heads[1]):
        raise BadType(f"attention of {heads[0]} query heads with {heads[1]}")
    return build.over(build.size_of(query, -3), build.size_of(key, -3))


def multiply_heads(x: Value, y: Value, *, transpose_y: bool = False) -> Value:
    """x y for each head of [batch, heads, rows, columns], where several of `x` share one of `y`.

    The rows of such heads lie behind each other, so that nothing of `y` is repeated.
    """
    if x.shape[1] == y.shape[1]:
        return linear.mat_mul(x, y, transpose_y=transpose_y)
    count = _share_heads(x, y)
    batch, mine, rows, columns = build.sizes_of(x)
    stacked = build.times(rows, count)
    groups = build.reshape(x, [batch, build.size_of(y, 1), stacked, columns])
    product = linear.mat_mul(groups, y, transpose_y=transpose_y)
    *_, width = build.sizes_of(product)
    return build.reshape(product, [batch, mine, rows, width])


def rotate_features(x: Value, sin: Value, cos: Value, *, side_by_side: bool) -> Value:
    """Numbers side by side, or of both halves of the last axis, turned as points by angles."""
    *lead, size = build.sizes_of(x)
    if isinstance(size, int) and size % 2:
        raise BadType(f"a rotary embedding of {x.type}, whose width is odd")
    half = build.over(size, 2)
    if side_by_side:
        points = build.reshape(x, [*lead, half, 2])
        first, second = shape.split(points, [1, 1], axis=-1)
        other = build.reshape(shape.concat(-second, first, axis=-1), [*lead, size])
    else:
        first, second = shape.split(x, build.vector(x.model, [half, half]), axis=-1)
        other = shape.concat(-second, first, axis=-1)
    return x * cos + other * sin


def split_heads(value: Value, heads: int | None, name: str) -> Value:
    """[batch, time, heads * n] as [batch, heads, time, n]; rank 4 is that already."""
    if value.rank == 4:
        return value
    width = value.shape[-1]
    fits = isinstance(width, Expr) or (heads and not width % heads)
    if value.rank != 3 or not heads or not fits:
        raise BadType(f"{name} of {value.type} with {heads} heads")
    if not isinstance(width, Expr):
        return swap_heads(shape.reshape(value, [0, 0, heads, width // heads]))
    batch, time, features = build.sizes_of(value)
    return swap_heads(build.reshape(value, [batch, time, heads, build.over(features, heads)]))


def merge_heads(value: Value) -> Value:
    """[batch, heads, time, n] as [batch, time, heads * n]."""
    return shape.flatten(swap_heads(value), start_axis=2, end_axis=3)


def widen_mask(mask: Value, key: Value) -> Value:
    """A mask for fewer keys than there are hides the others."""
    if mask.shape[-1] == key.shape[2]:
        return mask
    missing = build.minus(build.size_of(key, 2), build.size_of(mask, mask.rank - 1))
    pads = build.vector(mask.model, [0] * (2 * mask.rank - 1) + [missing])
    return shape.pad(mask, pads, mask.scalar(-np.inf if mask.is_float else 0))


def rotary_embedding(
    x: Value,
    cos_cache: Value,
    sin_cache: Value,
    position_ids: Value | None = None,
    *,
    interleaved: bool = False,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Value:
    """Turn pairs of features by an angle that grows with the position."""
    heads = split_heads(x, num_heads, "RotaryEmbedding")
    size = build.size_of(heads, 3)
    width = rotary_embedding_dim or size
    join, angles = shape.stack if interleaved else shape.concat, []
    for cache in (sin_cache, cos_cache):
        own = cache if position_ids is None else index.gather(cache, position_ids, axis=0)
        both = shape.flatten(join(own, own, axis=-1), start_axis=2, end_axis=-1)
        angles.append(shape.unsqueeze(both, [1]))
    pieces = [width] if width is size or width == size else [width, build.minus(size, width)]
    turned, *rest = split_pieces(heads, pieces, 3)
    made = rotate_features(turned, *angles, side_by_side=interleaved)
    whole = shape.concat(made, *rest, axis=3) if rest else made
    return merge_heads(whole) if x.rank == 3 else whole


def rotate_by_tables(
    x: Value,
    cos: Value,
    sin: Value,
    places: Value,
    interleaved: bool,
    heads: int = 0,
    width: int = 0,
) -> Value:
    """Features turned by the angles of their places; the table may say how many heads there are."""
    head = build.times(build.size_of(cos, -1), 2)
    width = width or (head if isinstance(head, int) else 0)
    turn = functools.partial(rotary_embedding, interleaved=interleaved, rotary_embedding_dim=width)
    if x.rank == 4 or heads:
        return turn(x, cos, sin, places, num_heads=heads)
    features = build.size_of(x, 2)
    if isinstance(features, int) and isinstance(head, int) and features % head:
        raise BadType(f"RotaryEmbedding of {x.type} by {cos.type}")
    count = build.over(features, head)
    if isinstance(count, int):
        return turn(x, cos, sin, places, num_heads=count)
    batch, time, _ = build.sizes_of(x)
    apart = swap_heads(build.reshape(x, [batch, time, count, head]))
    return merge_heads(turn(apart, cos, sin, places))
