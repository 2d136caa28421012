"""Attention over caches in products and a softmax."""

from __future__ import annotations

from ..decomposition import Level
from ..model import Value
from ..ops import attention
from ..recipes.cached_attention import attend_cached


@attention.group_query_attention.decomposes(level=Level.ROUNDING)
def _group_query_attention(
    query: Value,
    key: Value,
    value: Value,
    last: Value,
    total: Value,
    past_key: Value | None = None,
    past_value: Value | None = None,
    cos: Value | None = None,
    sin: Value | None = None,
    positions: Value | None = None,
    bias: Value | None = None,
    sink: Value | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    causal: bool,
    interleaved: bool,
    local_window_size: int,
    scale: float,
    softcap: float,
) -> tuple[Value, ...]:
    """Queries that share a key head as more rows of one product, so that no cache is repeated."""
    made = attend_cached(
        *(query, key, value, last, total, past_key, past_value, cos, sin, positions, bias, sink),
        q_num_heads=q_num_heads,
        kv_num_heads=kv_num_heads,
        causal=causal,
        interleaved=interleaved,
        local_window_size=local_window_size,
        scale=scale,
        softcap=softcap,
    )
    return made.output, made.key, made.value
