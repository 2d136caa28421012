"""ONNX Runtime's attention of integers (com.microsoft), as its tools quantise encoders."""

from __future__ import annotations

from typing import Literal

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import shape
from nnir.recipes.attention import split_heads
from nnir.recipes.integer_products import multiply_to_real
from nnir.recipes.masked_attention import attend_padded, merged_widths

from ...table import Absent, Maybe, Table

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
    mask_index: Maybe = None,
    input_zero_point: Maybe = None,
    weight_zero_point: Maybe = None,
    past: Absent = None,
    *,
    do_rotary: Literal[0] = 0,
    mask_filter_value: float | None = None,
    num_heads: int,
    past_present_share_buffer: Literal[0] = 0,
    scale: float | None = None,
    unidirectional: bool = False,
) -> Value:
    """The product with the merged weights is one of integers, the rest is in real numbers."""
    widths = merged_widths(weight)
    if input.rank != 3 or not min(widths):
        raise BadType(f"QAttention of {input.type} and {weight.type}")
    merged = multiply_to_real(
        input, weight, input_scale, weight_scale, input_zero_point, weight_zero_point, bias
    )
    pieces = shape.split(merged, widths, axis=2)
    query, key, value = (split_heads(x, num_heads, "QAttention") for x in pieces)
    if mask_index is not None and mask_index.rank != 2 and mask_index.shape != key.shape[:1]:
        raise Unsupported(f"QAttention with a mask {mask_index.type}, not lengths or one of keys")
    hidden = HIDDEN if mask_filter_value is None else mask_filter_value
    how = None, None, scale, hidden
    return attend_padded(query, key, value, mask_index, *how, causal=unidirectional)[0]
