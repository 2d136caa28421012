"""Attention of ONNX Runtime's own domain, as its optimiser writes it for encoders and decoders."""

from __future__ import annotations

from typing import Literal

from nnir import build
from nnir.dim import differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import linear, norm, shape
from nnir.recipes import masked_attention as recipes
from nnir.recipes.attention import rotate_by_tables, split_heads
from nnir.recipes.shape import split_pieces
from nnir.recipes.shared_cache import extend_shared

from ...table import Absent, Ints, Maybe, Table, Withheld

table = Table(prefix="com.microsoft::")
QK = Withheld("the scores of DecoderMaskedMultiHeadAttention without output_qk=1")
UNEVEN = Withheld("the present of an Attention whose values have another size than its keys")
DEFAULT_FILTER = -10000.0


@table.convert("MultiHeadAttention")
def multi_head_attention(
    query: Value,
    key: Maybe = None,
    value: Maybe = None,
    bias: Maybe = None,
    key_padding_mask: Maybe = None,
    attention_bias: Maybe = None,
    past_key: Maybe = None,
    past_value: Maybe = None,
    past_sequence_length: Maybe = None,
    cache_indirection: Maybe = None,
    *,
    mask_filter_value: float = DEFAULT_FILTER,
    num_heads: int,
    scale: float | None = None,
    unidirectional: bool = False,
) -> tuple[Value, ...]:
    """Keys of rank 4 are another layer's, whose heads are apart already."""
    if key is None or value is None or query.rank != 3 or key.rank not in (3, 4):
        raise Unsupported(f"MultiHeadAttention of {query.type} that holds keys and values too")
    q, k, v = (norm.computing(x) for x in (query, key, value))
    if bias is not None:
        q, k, v = recipes.add_biases(q, k, v, norm.computing(bias))
    q, k, v = (split_heads(x, num_heads, "MultiHeadAttention") for x in (q, k, v))
    if unidirectional and q.shape[2] != k.shape[2]:  # ONNX Runtime lets the last query see all
        raise Unsupported(f"MultiHeadAttention of {query.type}, {key.type} with {unidirectional=}")
    past_k, past_v = (None if x is None else norm.computing(x) for x in (past_key, past_value))
    total = None
    if past_sequence_length is not None:
        ends = past_k, past_v, past_sequence_length, cache_indirection
        k, v, seen_k, seen_v, total = extend_shared(k, v, *ends)
    elif cache_indirection is not None:
        raise Unsupported("MultiHeadAttention with cache_indirection and no past_sequence_length")
    else:
        k, v = seen_k, seen_v = recipes.extend_past(k, v, past_k, past_v)
    how = key_padding_mask, attention_bias, past_key, scale, mask_filter_value
    output, scores = recipes.attend_padded(
        q, seen_k, seen_v, *how, causal=unidirectional, total=total
    )
    return tuple(norm.same_precision(x, query) for x in (output, k, v, scores))


@table.convert("DecoderMaskedMultiHeadAttention")
def decoder_masked_attention(
    query: Value,
    key: Maybe = None,
    value: Maybe = None,
    mask_index: Maybe = None,
    attention_bias: Maybe = None,
    past_key: Maybe = None,
    past_value: Maybe = None,
    past_sequence_length: Maybe = None,
    beam_width: Maybe = None,
    cache_indirection: Maybe = None,
    bias: Maybe = None,
    *,
    mask_filter_value: float = DEFAULT_FILTER,
    num_heads: int,
    output_qk: bool = False,
    past_present_share_buffer: bool = False,
    scale: float | None = None,
) -> tuple[Value | Withheld, ...]:
    """One query of each sample. Its own keys share a buffer; those of another layer (rank 4) do
    not, whatever the attribute says. How many beams there are `cache_indirection` says too."""
    own = key is not None and key.rank == 3
    if own and (past_sequence_length is None or not past_present_share_buffer):
        raise Unsupported("DecoderMaskedMultiHeadAttention of its own keys without a shared buffer")
    pasts = (past_key, past_value, past_sequence_length, cache_indirection) if own else (None,) * 4
    output, *caches, scores = multi_head_attention(
        *(query, key, value, bias, mask_index, attention_bias, *pasts),
        mask_filter_value=mask_filter_value,
        num_heads=num_heads,
        scale=scale,
    )
    return output, *caches, scores if output_qk else QK


@table.convert("Attention")
def attention(
    input: Value,
    weights: Value,
    bias: Maybe = None,
    mask_index: Maybe = None,
    past: Maybe = None,
    attention_bias: Maybe = None,
    past_sequence_length: Absent = None,
    *,
    do_rotary: Literal[0] = 0,
    mask_filter_value: float = DEFAULT_FILTER,
    num_heads: int,
    past_present_share_buffer: Literal[0] = 0,
    qkv_hidden_sizes: Ints = (),
    rotary_embedding_dim: Literal[0] = 0,
    scale: float | None = None,
    unidirectional: bool = False,
) -> tuple[Value | Withheld, ...]:
    """Projects the input by the merged weights of queries, keys and values first."""
    merged = linear.mat_mul(*(norm.computing(x) for x in (input, weights)))
    merged = merged if bias is None else merged + norm.computing(bias)
    pieces = split_pieces(merged, recipes.merged_widths(weights, qkv_hidden_sizes), 2)
    q, k, v = (split_heads(x, num_heads, "Attention") for x in pieces)
    before = None
    if past is not None:
        before, values = shape.unstack(norm.computing(past), axis=0, num=2)
        k, v = recipes.extend_past(k, v, before, values)
    mask, how = _without_placeholder(mask_index, k), (before, scale, mask_filter_value)
    output, _ = recipes.attend_padded(q, k, v, mask, attention_bias, *how, causal=unidirectional)
    result = norm.same_precision(output, input)
    if k.shape[3] != v.shape[3]:
        return result, UNEVEN
    return result, norm.same_precision(shape.stack(k, v, axis=0), input)


def _without_placeholder(mask: Maybe, key: Value) -> Maybe:
    """A mask [batch, 1] for more keys than one stands for none."""
    is_placeholder = mask is not None and mask.rank == 2 and mask.shape[1] == 1
    return None if is_placeholder and key.shape[2] != 1 else mask


@table.convert("RotaryEmbedding")
def rotary(
    input: Value,
    position_ids: Value,
    cos_cache: Value,
    sin_cache: Value,
    *,
    interleaved: bool = False,
    is_packed_batching: Literal[0] = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
    scale: float = 1.0,
) -> Value:
    """One position is that of the first element; ONNX Runtime reads `scale` nowhere."""
    if scale != 1:
        raise Unsupported(f"RotaryEmbedding with {scale=}")
    places = position_ids
    if position_ids.rank == 1:
        along = build.arange_along(input, 1 if input.rank == 3 else 2)
        places = shape.unsqueeze(along + position_ids, [0])
    size, half = input.shape[-1], cos_cache.shape[-1]
    if input.rank == 4 and not rotary_embedding_dim and differ(size, 2 * half):
        raise BadType(f"RotaryEmbedding of {input.type} by {cos_cache.type}")
    tables = cos_cache, sin_cache, places
    return rotate_by_tables(input, *tables, interleaved, num_heads, rotary_embedding_dim)
