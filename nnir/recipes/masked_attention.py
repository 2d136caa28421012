"""Attention whose keys have a past, are padded, or are seen by a part of the queries."""

from __future__ import annotations

import functools

import numpy as np

from .. import build
from ..dim import Expr
from ..errors import BadType, NotConstant, Unsupported
from ..model import Value
from ..ops import (
    activation,
    binary,
    compare,
    generate,
    index,
    linear,
    logic,
    norm,
    reduce,
    shape,
    unary,
)
from ..types import Precision
from .attention import (
    attend,
    bias_of_mask,
    causal_mask,
    merge_heads,
    repeat_heads,
    root_of_scale,
    widen_mask,
)
from .promotion import HALVES
from .shape import split_pieces


def extend_past(
    key: Value, value: Value, past_key: Value | None, past_value: Value | None
) -> tuple[Value, Value]:
    """Keys and values [batch, heads, length, size] behind those that were there before."""
    if past_key is not None and past_value is not None:
        return shape.concat(past_key, key, axis=2), shape.concat(past_value, value, axis=2)
    if past_key is not past_value:
        raise BadType("attention with a past of only one of keys and values")
    return key, value


def attend_in_steps(
    query: Value,
    key: Value,
    value: Value,
    bias: Value | None,
    scale: float | None,
    softcap: float,
    precision: Precision,
) -> tuple[Value, Value, Value, Value, Value]:
    """softmax(softcap * tanh(query key' * scale / softcap) + bias) value, then the scores, those
    that are capped, those with the bias, and the weights.

    `precision` is that of the softmax; a query that may see no key has weights of 0.
    """
    raw = score_by_root(query, repeat_heads(key, query), scale)
    capped = activation.tanh(raw / softcap) * softcap if softcap > 0 else raw
    biased = capped if bias is None else capped + bias
    weights = softmax_in_steps(biased.cast(precision))
    if bias is not None:
        blind = compare.equal(reduce.reduce_max(bias, [-1], keepdim=True), -np.inf)
        weights = compare.where(blind, 0, weights)
    weights = weights.cast(query.precision)
    output = linear.mat_mul(weights, repeat_heads(value, query))
    return output, raw, capped, biased, weights


def score_by_root(query: Value, key: Value, scale: float | None) -> Value:
    """query key' * scale; both factors are scaled by the root, as ONNX does against overflow."""
    root = root_of_scale(query, scale)
    return linear.mat_mul(query * root, key * root, transpose_y=True)


def softmax_in_steps(scores: Value) -> Value:
    """Over the last axis; ONNX defines it step by step, each rounded to 16 bits where those are."""
    if scores.precision not in HALVES:
        return activation.softmax(scores, axis=-1)
    powers = unary.exp(scores - reduce.reduce_max(scores, [-1], keepdim=True))
    return powers / reduce.reduce_sum(powers, [-1], keepdim=True)


def seen_keys(
    query: Value, key: Value, past_key: Value | None, valid: Value | None, left: int, right: int
) -> list[Value]:
    """What must hold of a key so that a query sees it: it is in the window, and it is there.

    Queries and keys are [batch, heads, length, size]; `valid` [batch] says how many keys of each
    sample there are, and a negative `left` or `right` is no bound.
    """
    seen, keys = [], build.arange_along(key, 2)
    ends = None if valid is None else shape.unsqueeze(build.int64(valid), [1, 2, 3])
    if max(left, right) >= 0:
        own = build.vector(query.model, [build.size_of(query, 2)])
        before = 0 if past_key is None else build.size_of(past_key, 2)
        is_first = past_key is not None or ends is None
        first = build.vector(query.model, [before]) if is_first else ends - own
        place = shape.unsqueeze(build.arange_along(query, 2), [1]) + first
        if right >= 0:
            seen.append(keys <= (place + right if right else place))
        if left >= 0:
            seen.append(place - left <= keys)
    return seen if ends is None else [*seen, keys < ends]


def bias_of_seen(
    precision: Precision, key: Value, mask: Value | None, seen: list[Value]
) -> Value | None:
    """What is added to the scores [batch, heads, queries, keys]: the mask, and -inf for keys that
    must not be seen."""
    if mask is not None:
        mask = widen_mask(mask, key)
        if mask.precision == Precision.BOOL8:
            seen, mask = [*seen, mask], None
    if not seen:
        return mask
    closed = bias_of_mask(functools.reduce(logic.and_, seen), precision)
    return closed if mask is None else mask + closed


def attend_padded(
    query: Value,
    key: Value,
    value: Value,
    mask: Value | None,
    added: Value | None,
    past: Value | None,
    scale: float | None,
    hidden: float,
    *,
    causal: bool,
    total: Value | None = None,
) -> tuple[Value, Value]:
    """softmax(query key' * scale + mask + added) value, with the heads side by side again, and the
    scores [batch, heads, queries, keys].

    All are [batch, heads, length, size]; `past` is what of the keys was there before, or `total`
    [1] says how many there are, and `hidden` is added to the score of a key that the mask hides.
    """
    parts = [] if mask is None else [bias_of_padding(mask, query, key, hidden)]
    parts += [] if added is None else [norm.computing(added)]
    if causal:
        if past is None and total is None:
            seen = causal_mask(query, key)
        else:
            seen = seen_keys(query, key, past if total is None else None, total, -1, 0)[0]
        parts.append(bias_of_mask(seen, query.precision))
    bias = functools.reduce(binary.add, parts) if parts else None
    output, scores = attend(query, key, value, bias, scale or None, blind=False)
    return merge_heads(output), scores


def bias_of_padding(mask: Value, query: Value, key: Value, hidden: float) -> Value:
    """What a mask adds to the scores: 0 where a key is there, `hidden` where it is padding."""
    seen = _keys_within(mask, key) if mask.rank == 1 else mask > 0
    if mask.rank not in (1, 2, 3):
        raise Unsupported(f"attention with a mask {mask.type}, whose rank is not 1, 2 or 3")
    seen = shape.unsqueeze(seen, [1, 2] if mask.rank < 3 else [1])
    return compare.where(seen, query.scalar(0), query.scalar(hidden))


def _keys_within(bounds: Value, key: Value) -> Value:
    """Keys before the end of each sample, and from its start where the starts follow the ends."""
    batch, count = key.shape[0], bounds.shape[0]
    places = build.arange_along(key, 2, bounds.precision)
    if count not in (batch, 2 * batch, 3 * batch + 2):
        if isinstance(batch, Expr) or isinstance(count, Expr):
            return _keys_within_open(bounds, places, build.size_of(key, 0))
        raise BadType(f"attention of {batch} samples with a mask {bounds.type}")
    if count == batch:
        return places < shape.unsqueeze(bounds, [1])
    size = build.size_of(key, 0)
    ends, rest = split_pieces(bounds, [size, build.minus(build.size_of(bounds, 0), size)], 0)
    within = places < shape.unsqueeze(ends, [1])
    return within & (places >= shape.unsqueeze(rest, [1])) if count == 2 * batch else within


def _keys_within_open(bounds: Value, places: Value, batch: build.Size) -> Value:
    """The same where only a run knows how many samples there are, and so whether there are starts;
    zeros stand behind the bounds for those that are not."""
    size, both = (build.vector(bounds.model, [n]) for n in (batch, build.times(batch, 2)))
    room = shape.concat(bounds, generate.fill(size, bounds.scalar(0)), axis=0)
    ends, rest = index.slice_(room, [0], [0], size), index.slice_(room, [0], size, both)
    have_starts = compare.equal(both, build.vector(bounds.model, [build.size_of(bounds, 0)]))
    starts = compare.where(have_starts, rest, 0)
    return (places < shape.unsqueeze(ends, [1])) & (places >= shape.unsqueeze(starts, [1]))


def add_biases(q: Value, k: Value, v: Value, bias: Value) -> list[Value]:
    """The biases of the three projections, one behind the other; keys with heads have theirs."""
    own = build.size_of(q, 2)
    rest = build.minus(build.minus(build.size_of(bias, 0), own), own)
    pieces = split_pieces(bias, [own, own, rest], 0)
    pairs = zip((q, k, v), pieces, strict=True)
    return [x + piece if x.rank == 3 else x for x, piece in pairs]


def merged_widths(weights: Value, given: tuple[int, ...] = ()) -> tuple[int, ...]:
    """How many columns of merged weights belong to queries, keys and values: a third each, or as is
    given."""
    total = weights.shape[-1]
    if weights.rank != 2 or isinstance(total, Expr):
        raise NotConstant(f"attention with weights {weights.type}")
    sizes = given or (total // 3,) * 3
    if len(sizes) != 3 or sum(sizes) != total:
        raise BadType(f"attention with widths {given} and weights {weights.type}")
    return sizes
