"""Attention of ONNX Runtime's own domain over caches, whose samples have lengths of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, binary, compare, generate, index, norm, shape
from nnir.recipes.attention import bias_of_mask, multiply_heads, scale_query
from nnir.recipes.shape import split_pieces

from ...table import Attributes, Table, Withheld
from .attention import merge_heads, split_heads, widen_mask
from .microsoft_attention import rotate

table = Table(prefix="com.microsoft::")
Maybe = Value | None
SCORES = Withheld("the scores of GroupQueryAttention without qk_output")


@dataclass(frozen=True)
class Scoring(Attributes):
    """How queries see keys."""

    causal: bool = True
    local_window_size: int = -1
    scale: float | None = None
    smooth_softmax: Literal[-1, 0, 1] = -1
    softcap: float = 0.0

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
        if self.causal:
            seen = seen & (keys <= own)
        if self.local_window_size > 0:
            seen = seen & (own - self.local_window_size < keys)
        return seen

    def weigh(self, scores: Value, sink: Maybe) -> Value:
        """The weights of keys, of which a key without a value may have its share."""
        if sink is None and self.smooth_softmax != 1:
            return activation.softmax(scores, axis=-1)
        column = scores.scalar(0)
        if sink is not None:
            column = shape.unsqueeze(norm.computing(sink), [0, 2, 3])
        *rows, _ = build.sizes_of(scores)
        column = shape.expand(column, build.vector(scores.model, [*rows, 1]))
        weights = activation.softmax(shape.concat(scores, column, axis=-1), axis=-1)
        return index.slice_(weights, [-1], [0], [-1])


@dataclass(frozen=True)
class Rotation(Attributes):
    """Whether queries and keys are turned by their places."""

    do_rotary: bool = False
    rotary_interleaved: bool = False

    def turn(self, parts: Sequence[Value], places: Value, cos: Maybe, sin: Maybe) -> list[Value]:
        """Both, or as they are."""
        if not self.do_rotary:
            return list(parts)
        if cos is None or sin is None:
            raise BadType("GroupQueryAttention with do_rotary=1 and no cos_cache or sin_cache")
        return [rotate(x, cos, sin, places, self.rotary_interleaved) for x in parts]


@dataclass(frozen=True)
class Storage(Attributes):
    """How a cache is kept: whole, and as it is. The epsilon belongs to norms that are refused."""

    k_quant_type: Literal["NONE"] = "NONE"
    kv_cache_bit_width: Literal[0] = 0
    qk_norm_epsilon: float = 1e-6
    sliding_window_cache: Literal[0] = 0
    v_quant_type: Literal["NONE"] = "NONE"


@table.convert("GroupQueryAttention")
def group_query_attention(
    query: Value,
    key: Maybe,
    value: Maybe,
    past_key: Maybe,
    past_value: Maybe,
    seqlens_k: Value,
    total_sequence_length: Value,
    cos_cache: Maybe = None,
    sin_cache: Maybe = None,
    position_ids: Maybe = None,
    attention_bias: Maybe = None,
    head_sink: Maybe = None,
    k_scale: Maybe = None,
    v_scale: Maybe = None,
    q_norm_weight: Maybe = None,
    k_norm_weight: Maybe = None,
    *,
    kv_num_heads: int,
    num_heads: int,
    qk_output: Literal[0, 1, 2] = 0,
    how: Scoring,
    rotation: Rotation,
    storage: Storage,
) -> tuple[Value | Withheld, ...]:
    """`seqlens_k` has one less than the number of keys of each sample, the new ones included."""
    _refuse(k_scale=k_scale, v_scale=v_scale)
    _refuse(q_norm_weight=q_norm_weight, k_norm_weight=k_norm_weight)
    q, k, v = _separate(query, key, value, num_heads, kv_num_heads)
    total = build.flatten(build.int64(total_sequence_length))
    ends = build.int64(build.flatten(seqlens_k)) + 1
    before = binary.max_(ends - build.vector(q.model, [build.size_of(q, 2)]), 0)
    places = shape.unsqueeze(before, [1]) + build.arange_along(q, 2)
    turns = places if position_ids is None else _turns(position_ids, places, total)
    q, k = rotation.turn((q, k), turns, cos_cache, sin_cache)
    if past_key is not None and past_value is not None:
        k, v = (_fill_cache(p, x, before, total) for p, x in ((past_key, k), (past_value, v)))
    elif past_key is not past_value:
        raise BadType("GroupQueryAttention with only one of past_key and past_value")
    scores, seen = how.score(q, k, attention_bias), how.seen(k, places, ends)
    weights = how.weigh(scores + bias_of_mask(seen, scores.precision), head_sink)
    output = multiply_heads(weights, norm.computing(v))
    shown: Value | Withheld = SCORES
    if qk_output:
        chosen = compare.where(seen, (scores, weights)[qk_output - 1], 0)
        room = chosen if past_key is None else index.slice_(chosen, [-1], [0], total)
        shown = norm.same_precision(room, query)
    return norm.same_precision(merge_heads(output), query), k, v, shown


def _refuse(**inputs: Maybe) -> None:
    for name, value in inputs.items():
        if value is not None:
            raise Unsupported(f"GroupQueryAttention with {name}")


def _separate(query: Value, key: Maybe, value: Maybe, heads: int, kv_heads: int) -> list[Value]:
    """Queries, keys and values with their heads apart; one tensor may hold all three."""
    if (key is None) != (value is None):
        raise BadType("GroupQueryAttention with only one of key and value")
    counts = heads, kv_heads, kv_heads
    if key is not None and value is not None:
        pieces = [query, key, value]
    else:
        width = query.shape[-1]
        if isinstance(width, Expr) or min(counts) < 1 or width % sum(counts):
            raise BadType(f"GroupQueryAttention of {query.type} with {heads} and {kv_heads} heads")
        pieces = split_pieces(query, [width // sum(counts) * n for n in counts], query.rank - 1)
    pairs = zip(pieces, counts, strict=True)
    return [split_heads(x, count, "GroupQueryAttention") for x, count in pairs]


def _turns(positions: Value, places: Value, total: Value) -> Value:
    """The positions that are given; a prompt counts on from the first of all."""
    model = places.model
    first = build.reshape(index.slice_(build.flatten(positions), [0], [0], [1]), [1, 1])
    count = build.vector(model, [build.size_of(places, 1)])
    is_prompt = compare.equal(total, count)
    return compare.where(is_prompt, first + build.arange_along(places, 1), positions)


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
