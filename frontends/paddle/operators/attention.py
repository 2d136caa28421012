"""Attention and what belongs to it, as Paddle fuses it."""

from __future__ import annotations

from nnir import build
from nnir.dim import differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import index, shape
from nnir.recipes.attention import attend, bias_of_mask, causal_mask, rotate_features, swap_heads

from ...table import Table

table = Table()


def attention(
    op: str,
    query: Value,
    key: Value,
    value: Value,
    mask: Value | None,
    scale: float | None,
    is_causal: bool,
) -> Value:
    """Attention over [batch, length, heads, size]; groups of heads may share keys."""
    if query.rank != 4 or query.shape[2] != key.shape[2]:
        raise Unsupported(f"{op} of {query.type} with keys {key.type}")
    q, k, v = (swap_heads(x) for x in (query, key, value))
    bias = None if mask is None else mask.cast(query.precision)
    if is_causal:
        if query.shape[1] != key.shape[1]:
            raise Unsupported(f"causal {op} of {query.type} with keys {key.type}")
        closed = bias_of_mask(causal_mask(q, k), q.precision)
        bias = closed if bias is None else bias + closed
    return swap_heads(attend(q, k, v, bias, scale, blind=False)[0])


@table.convert("flash_attn")
def flash_attn(
    q: Value,
    k: Value,
    v: Value,
    fixed_seed_offset: Value | None,
    attn_mask: Value | None,
    dropout: float,
    causal: bool,
    return_softmax: bool,
    is_test: bool,
    rng_name: str,
) -> Value:
    if dropout and not is_test:
        raise Unsupported(f"flash_attn that trains with {dropout=}")
    return attention("flash_attn", q, k, v, attn_mask, None, causal)


@table.convert("memory_efficient_attention")
def memory_efficient_attention(
    query: Value,
    key: Value,
    value: Value,
    bias: Value | None,
    cu_seqlens_q: Value | None,
    cu_seqlens_k: Value | None,
    causal_diagonal: Value | None,
    seqlen_k: Value | None,
    max_seqlen_q: float | None,
    max_seqlen_k: float | None,
    causal: bool,
    dropout_p: float,
    scale: float,
    is_test: bool,
) -> Value:
    """A scale that is not above 0 stands for that of the size of a head."""
    if dropout_p and not is_test:
        raise Unsupported(f"memory_efficient_attention that trains with {dropout_p=}")
    if any(v is not None for v in (cu_seqlens_q, cu_seqlens_k, causal_diagonal, seqlen_k)):
        raise Unsupported("memory_efficient_attention over sequences of different lengths")
    by = scale if scale > 0 else None
    return attention("memory_efficient_attention", query, key, value, bias, by, causal)


@table.convert("fused_rotary_position_embedding")
def fused_rotary_position_embedding(
    q: Value,
    k: Value | None,
    v: Value | None,
    sin: Value | None,
    cos: Value | None,
    position_ids: Value | None,
    use_neox_rotary_style: bool,
    time_major: bool,
    rotary_emb_base: float,
) -> tuple[Value | None, ...]:
    """Queries, keys and values [batch, length, heads, size] turned by angles of their position."""
    if sin is None or cos is None or time_major:
        raise Unsupported("fused_rotary_position_embedding without sines, or by time")
    table_ = [by_position(t, position_ids) for t in (sin, cos)]
    given = (q, k, v)
    return tuple(
        None if x is None else rotate_features(x, *table_, side_by_side=use_neox_rotary_style)
        for x in given
    )


def by_position(angles: Value, positions: Value | None) -> Value:
    """Sines or cosines [batch or 1, length, 1, size]."""
    size = build.size_of(angles, angles.rank - 1)
    rows = build.reshape(angles, [-1, size])
    if positions is not None:
        return shape.unsqueeze(index.gather(rows, positions, axis=0), [2])
    return shape.unsqueeze(rows, [0, 2])


@table.convert("self_dp_attention")
def self_dp_attention(x: Value, alpha: float, head_number: int) -> Value:
    """Attention of queries, keys and values that come in one tensor [N, L, 3, heads, size]."""
    if x.rank != 5 or differ(x.shape[3], head_number):
        raise BadType(f"self_dp_attention of {x.type} with {head_number} heads")
    q, k, v = (shape.squeeze(p, [2]) for p in shape.split(x, [1, 1, 1], axis=2))
    return attention("self_dp_attention", q, k, v, None, alpha, False)
