"""ONNX Runtime's attention of integers (com.microsoft), as its tools quantise encoders."""

from __future__ import annotations

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import compare, shape
from nnir.recipes.attention import attend, bias_of_mask, causal_mask, merge_heads, split_heads
from nnir.recipes.integer_products import multiply_to_real

from ...table import Table

table = Table(prefix="com.microsoft::")
HIDDEN = -10000.0
"""What is added to the score of a key that a mask hides."""


@table.convert("QAttention")
def q_attention(
    input: Value,
    weight: Value,
    bias: Value,
    input_scale: Value,
    weight_scale: Value,
    mask_index: Value | None = None,
    input_zero_point: Value | None = None,
    weight_zero_point: Value | None = None,
    past: Value | None = None,
    *,
    do_rotary: bool = False,
    mask_filter_value: float | None = None,
    num_heads: int,
    past_present_share_buffer: bool = False,
    scale: float | None = None,
    unidirectional: bool = False,
) -> Value:
    """The product with the merged weights is one of integers, the rest is in real numbers."""
    if past is not None or past_present_share_buffer or do_rotary:
        raise Unsupported("QAttention with a past or rotary embeddings")
    width = weight.shape[-1] if weight.rank == 2 else 0
    if input.rank != 3 or isinstance(width, Expr) or not width or width % 3:
        raise BadType(f"QAttention of {input.type} and {weight.type}")
    merged = multiply_to_real(
        input, weight, input_scale, weight_scale, input_zero_point, weight_zero_point, bias
    )
    pieces = shape.split(merged, [width // 3] * 3, axis=2)
    query, key, value = (split_heads(x, num_heads, "QAttention") for x in pieces)
    hidden = HIDDEN if mask_filter_value is None else mask_filter_value
    added = None if mask_index is None else _bias_of_padding(mask_index, key, hidden)
    if unidirectional:
        causal = bias_of_mask(causal_mask(query, key), query.precision)
        added = causal if added is None else added + causal
    output, _ = attend(query, key, value, added, scale or None, blind=False)
    return merge_heads(output)


def _bias_of_padding(mask: Value, key: Value, hidden: float) -> Value:
    """0 where a key counts: by a mask [batch, keys], or before the length of its sample."""
    if mask.rank not in (1, 2) or (mask.rank == 1 and mask.shape[0] != key.shape[0]):
        raise Unsupported(f"QAttention with a mask {mask.type}, not lengths or a mask of keys")
    if mask.rank == 1:
        places = build.arange_along(key, 2).cast(mask.precision)
        counts = places < shape.unsqueeze(mask, [1])
    else:
        counts = mask > 0
    each = shape.unsqueeze(counts, [1, 2])
    return compare.where(each, key.scalar(0), key.scalar(hidden))
