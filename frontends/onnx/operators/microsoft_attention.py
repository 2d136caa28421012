"""Attention of ONNX Runtime's own domain, as its optimiser writes it for encoders and decoders."""

from __future__ import annotations

from nnir import build
from nnir.dim import Expr, differ
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import compare, linear, norm, shape
from nnir.recipes.attention import (
    attend,
    bias_of_mask,
    merge_heads,
    rotate_by_tables,
    split_heads,
)
from nnir.recipes.shape import split_pieces

from ...table import Ints, Table, Withheld
from .attention import seen_keys

table = Table(prefix="com.microsoft::")
QK = Withheld("the weights of MultiHeadAttention")
UNEVEN = Withheld("the present of an Attention whose values have another size than its keys")
Maybe = Value | None
DEFAULT_FILTER = -10000.0


def apply_attention(
    query: Value,
    key: Value,
    value: Value,
    *,
    mask: Maybe,
    added: Maybe,
    past: Maybe,
    scale: float | None,
    hidden: float,
    is_causal: bool,
) -> Value:
    """softmax(query key' * scale + mask + added) value, with the heads side by side again.

    All are [batch, heads, length, size]; `past` is what of the keys was there before.
    """
    parts = [] if mask is None else [bias_of_padding(mask, query, key, hidden)]
    parts += [] if added is None else [added]
    if is_causal:
        (seen,) = seen_keys(query, key, past, None, -1, 0)
        parts.append(bias_of_mask(seen, query.precision))
    bias = None
    for part in parts:
        bias = part if bias is None else bias + part
    output, _ = attend(query, key, value, bias, scale or None, blind=False)
    return merge_heads(output)


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
        raise BadType(f"attention of {batch} samples with a mask {bounds.type}")
    size = build.size_of(key, 0)
    ends, *rest = split_pieces(bounds, [size, build.minus(build.size_of(bounds, 0), size)], 0)
    within = places < shape.unsqueeze(ends, [1])
    if count != 2 * batch or count == batch:
        return within
    return within & (places >= shape.unsqueeze(rest[0], [1]))


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
) -> tuple[Value | Withheld, ...]:
    """Keys of rank 4 are another layer's, whose heads are apart already."""
    if past_sequence_length is not None or cache_indirection is not None:
        raise Unsupported("MultiHeadAttention with past_sequence_length: a buffer that is shared")
    if key is None or value is None or query.rank != 3 or key.rank not in (3, 4):
        raise Unsupported(f"MultiHeadAttention of {query.type} that holds keys and values too")
    q, k, v = (norm.computing(x) for x in (query, key, value))
    if bias is not None:
        q, k, v = _add_biases(q, k, v, norm.computing(bias))
    q, k, v = (split_heads(x, num_heads, "MultiHeadAttention") for x in (q, k, v))
    if unidirectional and q.shape[2] != k.shape[2]:  # ONNX Runtime lets the last query see all
        raise Unsupported(f"MultiHeadAttention of {query.type}, {key.type} with {unidirectional=}")
    if past_key is not None and past_value is not None:
        k = shape.concat(norm.computing(past_key), k, axis=2)
        v = shape.concat(norm.computing(past_value), v, axis=2)
    elif past_key is not past_value:
        raise BadType("MultiHeadAttention with only one of past_key and past_value")
    output = apply_attention(
        *(q, k, v),
        mask=key_padding_mask,
        added=None if attention_bias is None else norm.computing(attention_bias),
        past=past_key,
        scale=scale,
        hidden=mask_filter_value,
        is_causal=unidirectional,
    )
    return *(norm.same_precision(x, query) for x in (output, k, v)), QK


def _add_biases(q: Value, k: Value, v: Value, bias: Value) -> list[Value]:
    """The biases of the three projections, one behind the other; keys with heads have theirs."""
    own = build.size_of(q, 2)
    rest = build.minus(build.minus(build.size_of(bias, 0), own), own)
    pieces = split_pieces(bias, [own, own, rest], 0)
    pairs = zip((q, k, v), pieces, strict=True)
    return [x + piece if x.rank == 3 else x for x, piece in pairs]


@table.convert("Attention")
def attention(
    input: Value,
    weights: Value,
    bias: Maybe = None,
    mask_index: Maybe = None,
    past: Maybe = None,
    attention_bias: Maybe = None,
    past_sequence_length: Maybe = None,
    *,
    do_rotary: bool = False,
    mask_filter_value: float = DEFAULT_FILTER,
    num_heads: int,
    past_present_share_buffer: bool = False,
    qkv_hidden_sizes: Ints = (),
    rotary_embedding_dim: int = 0,
    scale: float | None = None,
    unidirectional: bool = False,
) -> tuple[Value | Withheld, ...]:
    """Projects the input by the merged weights of queries, keys and values first."""
    if past_present_share_buffer or past_sequence_length is not None:
        raise Unsupported("Attention with past_present_share_buffer=1")
    if do_rotary or rotary_embedding_dim:
        raise Unsupported(f"Attention with {do_rotary=}, {rotary_embedding_dim=}")
    merged = linear.mat_mul(*(norm.computing(x) for x in (input, weights)))
    merged = merged if bias is None else merged + norm.computing(bias)
    pieces = split_pieces(merged, _widths(weights, qkv_hidden_sizes), 2)
    q, k, v = (split_heads(x, num_heads, "Attention") for x in pieces)
    before = None
    if past is not None:
        before, values = shape.unstack(norm.computing(past), axis=0, num=2)
        k, v = shape.concat(before, k, axis=2), shape.concat(values, v, axis=2)
    output = apply_attention(
        *(q, k, v),
        mask=_without_placeholder(mask_index, k),
        added=None if attention_bias is None else norm.computing(attention_bias),
        past=before,
        scale=scale,
        hidden=mask_filter_value,
        is_causal=unidirectional,
    )
    result = norm.same_precision(output, input)
    if k.shape[3] != v.shape[3]:
        return result, UNEVEN
    return result, norm.same_precision(shape.stack(k, v, axis=0), input)


def _widths(weights: Value, given: Ints) -> Ints:
    """How many columns belong to queries, keys and values."""
    total = weights.shape[-1]
    if weights.rank != 2 or isinstance(total, Expr):
        raise NotConstant(f"Attention with weights {weights.type}")
    sizes = given or (total // 3,) * 3
    if len(sizes) != 3 or sum(sizes) != total:
        raise BadType(f"Attention with qkv_hidden_sizes={given} and weights {weights.type}")
    return sizes


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
    is_packed_batching: bool = False,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
    scale: float = 1.0,
) -> Value:
    """One position is that of the first element; ONNX Runtime reads `scale` nowhere."""
    if is_packed_batching or scale != 1:
        raise Unsupported(f"RotaryEmbedding with {is_packed_batching=}, {scale=}")
    places = position_ids
    if position_ids.rank == 1:
        along = build.arange_along(input, 1 if input.rank == 3 else 2)
        places = shape.unsqueeze(along + position_ids, [0])
    size, half = input.shape[-1], cos_cache.shape[-1]
    if input.rank == 4 and not rotary_embedding_dim and differ(size, 2 * half):
        raise BadType(f"RotaryEmbedding of {input.type} by {cos_cache.type}")
    tables = cos_cache, sin_cache, places
    return rotate_by_tables(input, *tables, interleaved, num_heads, rotary_embedding_dim)
