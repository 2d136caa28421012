"""Attention of grouped heads over caches, whose samples have lengths of their own."""

from __future__ import annotations

from typing import NamedTuple

from .. import build
from ..errors import BadType
from ..model import Value
from ..ops import activation, attention, binary, compare, generate, index, norm, shape
from ..records import dataclass
from .attention import (
    bias_of_mask,
    merge_heads,
    multiply_heads,
    rotate_by_tables,
    scale_query,
    split_heads,
    widen_mask,
)
from .shape import split_pieces

Maybe = Value | None


@dataclass(frozen=True)
class Scoring:
    """How queries see keys; see GROUP_QUERY_ATTENTION."""

    is_causal: bool
    local_window_size: int
    scale: float
    softcap: float

    def score(self, query: Value, key: Value, added: Maybe) -> Value:
        """The scores of all keys, 16-bit floats in float32."""
        q, k = norm.computing(query), norm.computing(key)
        scores = multiply_heads(scale_query(q, self.scale or None), k, transpose_y=True)
        if self.softcap > 0:
            scores = activation.tanh(scores / self.softcap) * self.softcap
        return scores if added is None else scores + norm.computing(widen_mask(added, key))

    def seen(self, key: Value, places: Value, ends: Value) -> Value:
        """Which keys each query sees, [batch, 1, queries, keys]."""
        keys, own = build.arange_along(key, 2), shape.unsqueeze(places, [1, 3])
        seen = keys < shape.unsqueeze(ends, [1, 2, 3])
        if self.is_causal:
            seen = seen & (keys <= own)
        if self.local_window_size > 0:
            seen = seen & (own - self.local_window_size < keys)
        return seen

    def weigh(self, scores: Value, sink: Maybe) -> Value:
        """The weights of keys, of which a key without a value may have its share.

        A query behind the end of its sample may have no key in its window; NaN there would reach
        the others, whose products take it times 0.
        """
        if sink is None:
            is_blind = self.local_window_size > 0
            softmax = attention.safe_softmax if is_blind else activation.softmax
            return softmax(scores, axis=-1)
        *rows, _ = build.sizes_of(scores)
        column = shape.unsqueeze(norm.computing(sink), [0, 2, 3])
        column = shape.expand(column, build.vector(scores.model, [*rows, 1]))
        weights = activation.softmax(shape.concat(scores, column, axis=-1), axis=-1)
        return index.slice_(weights, [-1], [0], [-1])


class Attended(NamedTuple):
    """What attention gives, and what it makes on the way."""

    output: Value
    key: Value
    value: Value
    scores: Value
    weights: Value
    seen: Value


def attend_cached(
    query: Value,
    key: Value,
    value: Value,
    last: Value,
    total: Value,
    past_key: Maybe,
    past_value: Maybe,
    cos: Maybe,
    sin: Maybe,
    positions: Maybe,
    bias: Maybe,
    sink: Maybe,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    causal: bool,
    interleaved: bool,
    local_window_size: int,
    scale: float,
    softcap: float,
) -> Attended:
    """GROUP_QUERY_ATTENTION in other operators."""
    how = Scoring(causal, local_window_size, scale, softcap)
    heads = q_num_heads, kv_num_heads, kv_num_heads
    pairs = zip((query, key, value), heads, strict=True)
    q, k, v = (split_heads(x, count, "group_query_attention") for x, count in pairs)
    count = build.flatten(build.int64(total))
    ends, before, places = _places_of(last, q)
    if cos is not None and sin is not None:
        turns = places if positions is None else positions
        q, k = (rotate_by_tables(x, cos, sin, turns, interleaved) for x in (q, k))
    if past_key is not None and past_value is not None:
        k, v = (_fill_cache(p, x, before, count) for p, x in ((past_key, k), (past_value, v)))
    scores, seen = how.score(q, k, bias), how.seen(k, places, ends)
    weights = how.weigh(scores + bias_of_mask(seen, scores.precision), sink)
    output = multiply_heads(weights, norm.computing(v))
    output = norm.same_precision(merge_heads(output), query)
    return Attended(output, k, v, scores, weights, seen)


def _places_of(last: Value, query: Value) -> tuple[Value, Value, Value]:
    """Of each sample the number of keys, of those before these queries, and the queries' places.

    `query` is [batch, heads, time, n].
    """
    ends = build.int64(build.flatten(last)) + 1
    before = binary.max_(ends - build.vector(query.model, [build.size_of(query, 2)]), 0)
    return ends, before, shape.unsqueeze(before, [1]) + build.arange_along(query, 2)


def _fill_cache(past: Value, new: Value, before: Value, total: Value) -> Value:
    """The first `before` keys of each sample, the new ones behind them, then zeros.

    There is room for `total` keys, and for as many as there was.
    """
    model = past.model
    held, count = (build.vector(model, [build.size_of(x, 2)]) for x in (past, new))
    places = shape.unsqueeze(generate.range_([0], held, [1]), [0, 1, 3])
    kept = compare.where(places < shape.unsqueeze(before, [1, 2, 3]), past, 0)
    batch, heads, _, width = build.sizes_of(past)
    (more,) = build.elements(binary.max_(total - held, 0))
    zeros = shape.expand(
        shape.reshape(past.scalar(0), [1] * 4), build.vector(model, [batch, heads, more, width])
    )
    room = shape.concat(kept, zeros, axis=2)
    behind = shape.unsqueeze(before, [1]) + generate.range_([0], count, [1])
    sizes = build.vector(model, build.sizes_of(new))
    at = shape.expand(shape.unsqueeze(behind, [1, 3]), sizes)
    return index.scatter_elements(room, at, new, axis=2)


def separate_heads(
    query: Value, key: Maybe, value: Maybe, heads: int, kv_heads: int
) -> list[Value]:
    """Queries, keys and values; one tensor may hold all three."""
    if (key is None) != (value is None):
        raise BadType("attention with only one of key and value")
    if key is not None and value is not None:
        return [query, key, value]
    counts, width = (heads, kv_heads, kv_heads), query.shape[-1]
    if min(counts) < 1 or (isinstance(width, int) and width % sum(counts)):
        raise BadType(f"attention of {query.type} with {heads} and {kv_heads} heads")
    size = build.over(build.size_of(query, -1), sum(counts))
    return split_pieces(query, [build.times(size, n) for n in counts], query.rank - 1)


def count_on(positions: Value, query: Value, total: Value) -> Value:
    """The positions [batch, time] that are given; a prompt counts on from the first of all."""
    first = build.reshape(index.slice_(build.flatten(positions), [0], [0], [1]), [1, 1])
    size = build.size_of(query, 1)
    is_prompt = compare.equal(build.int64(total), build.vector(query.model, [size]))
    counted = first + build.arange_along(query, 1, positions.precision)
    return compare.where(is_prompt, counted, positions)
