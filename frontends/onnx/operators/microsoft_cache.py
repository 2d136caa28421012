"""Attention of ONNX Runtime's own domain over caches, whose samples have lengths of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import attention, compare, index, norm
from nnir.recipes.cached_attention import Scoring, attend_cached
from nnir.recipes.shape import split_pieces

from ...table import Attributes, Table, Withheld

table = Table(prefix="com.microsoft::")
Maybe = Value | None
SCORES = Withheld("the scores of GroupQueryAttention without qk_output")


@dataclass(frozen=True)
class Looking(Attributes):
    """How queries see keys, and whether both are turned by their places."""

    causal: bool = True
    do_rotary: bool = False
    local_window_size: int = -1
    rotary_interleaved: bool = False
    scale: float | None = None
    smooth_softmax: Literal[-1, 0, 1] = -1
    softcap: float = 0.0

    def sink(self, given: Maybe, query: Value, heads: int) -> Maybe:
        """The score of a key without a value, of each head."""
        if given is not None or self.smooth_softmax != 1:
            return given
        return query.model.constant(np.zeros(heads, query.dtype))

    @property
    def scoring(self) -> Scoring:
        return Scoring(self.causal, self.local_window_size, self.scale or 0.0, self.softcap)


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
    looking: Looking,
    storage: Storage,
) -> tuple[Value | Withheld, ...]:
    """`seqlens_k` has one less than the number of keys of each sample, the new ones included."""
    _refuse(k_scale=k_scale, v_scale=v_scale)
    _refuse(q_norm_weight=q_norm_weight, k_norm_weight=k_norm_weight)
    if looking.do_rotary and (cos_cache is None or sin_cache is None):
        raise BadType("GroupQueryAttention with do_rotary=1 and no cos_cache or sin_cache")
    q, k, v = _separate(query, key, value, num_heads, kv_num_heads)
    total, how = total_sequence_length, looking.scoring
    turns = None if position_ids is None else _turns(position_ids, q, total)
    operands = (
        *(q, k, v, build.flatten(seqlens_k), total, past_key, past_value),
        *((cos_cache, sin_cache, turns) if looking.do_rotary else (None,) * 3),
        *(attention_bias, looking.sink(head_sink, query, num_heads)),
    )
    if not qk_output:
        whole = attention.group_query_attention(
            *operands,
            q_num_heads=num_heads,
            kv_num_heads=kv_num_heads,
            interleaved=looking.rotary_interleaved,
            causal=how.is_causal,
            local_window_size=how.local_window_size,
            scale=how.scale,
            softcap=how.softcap,
        )
        return *whole, SCORES
    made = attend_cached(
        *operands,
        q_num_heads=num_heads,
        kv_num_heads=kv_num_heads,
        interleaved=looking.rotary_interleaved,
        how=how,
    )
    chosen = compare.where(made.seen, (made.scores, made.weights)[qk_output - 1], 0)
    if past_key is not None:
        chosen = index.slice_(chosen, [-1], [0], build.flatten(build.int64(total)))
    return made.output, made.key, made.value, norm.same_precision(chosen, query)


def _refuse(**inputs: Maybe) -> None:
    for name, value in inputs.items():
        if value is not None:
            raise Unsupported(f"GroupQueryAttention with {name}")


def _separate(query: Value, key: Maybe, value: Maybe, heads: int, kv_heads: int) -> list[Value]:
    """Queries, keys and values; one tensor may hold all three."""
    if (key is None) != (value is None):
        raise BadType("GroupQueryAttention with only one of key and value")
    if key is not None and value is not None:
        return [query, key, value]
    counts, width = (heads, kv_heads, kv_heads), query.shape[-1]
    if isinstance(width, Expr) or min(counts) < 1 or width % sum(counts):
        raise BadType(f"GroupQueryAttention of {query.type} with {heads} and {kv_heads} heads")
    return split_pieces(query, [width // sum(counts) * n for n in counts], query.rank - 1)


def _turns(positions: Value, query: Value, total: Value) -> Value:
    """The positions that are given; a prompt counts on from the first of all."""
    first = build.reshape(index.slice_(build.flatten(positions), [0], [0], [1]), [1, 1])
    size = build.size_of(query, 1)
    is_prompt = compare.equal(build.int64(total), build.vector(query.model, [size]))
    counted = first + build.arange_along(query, 1, positions.precision)
    return compare.where(is_prompt, counted, positions)
