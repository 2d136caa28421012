"""ATen attention."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, reduce
from nnir.ops import attention as ops
from nnir.recipes.attention import attend, bias_of_mask, causal_mask, repeat_heads, root_of_scale
from nnir.types import Precision

from ...table import Table
from . import encoder

table = Table()


def attention_bias(query: Value, key: Value, mask: Value | None, is_causal: bool) -> Value | None:
    """What is added to the scores: the mask itself, or -inf where it is False."""
    if is_causal:
        if mask is not None:
            raise BadType("attention with a mask and is_causal")
        mask = causal_mask(query, key)
    if mask is None or mask.precision != Precision.BOOL8:
        return None if mask is None else mask.cast(query.precision)
    return bias_of_mask(mask, query.precision)


def may_be_blind(bias: Value | None, is_causal: bool) -> bool:
    """Whether a query may see no key: not where the mask is known and leaves it one."""
    if bias is None or is_causal:
        return False
    if bias.constant is None:
        return True
    highest = bias.constant.astype(np.float32).max(axis=-1, initial=-np.inf)
    return bool((highest == -np.inf).any())


def required_still(dropout_p: float) -> None:
    """Unsupported with dropout, which draws random numbers."""
    if dropout_p:
        raise Unsupported(f"attention with dropout_p={dropout_p}: export the model in eval mode")


@table.convert("aten.scaled_dot_product_attention.default")
def attention(
    query: Value,
    key: Value,
    value: Value,
    attn_mask: Value | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Value:
    required_still(dropout_p)
    if enable_gqa:
        key, value = repeat_heads(key, query), repeat_heads(value, query)
    bias = attention_bias(query, key, attn_mask, is_causal)
    blind = may_be_blind(bias, is_causal)
    return attend(query, key, value, bias, scale, blind=blind)[0]


@table.convert("aten._scaled_dot_product_attention_math.default")
def attention_math(
    query: Value,
    key: Value,
    value: Value,
    attn_mask: Value | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    dropout_mask: Value | None = None,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> tuple[Value, Value]:
    """The second result are the weights; a mask, also one of bools, is added as numbers."""
    required_still(dropout_p)
    if attn_mask is not None:
        attn_mask = attn_mask.cast(query.precision)
    if enable_gqa:
        key, value = repeat_heads(key, query), repeat_heads(value, query)
    if dropout_mask is not None:
        raise Unsupported("attention with a dropout mask")
    bias = attention_bias(query, key, attn_mask, is_causal)
    blind = may_be_blind(bias, is_causal)
    root = root_of_scale(query, None if scale is None else abs(scale))  # PyTorch scales both
    query, key = query * (-root if scale is not None and scale < 0 else root), key * root
    result, scores = attend(query, key, value, bias, 1.0, blind=blind)
    return result, (ops.safe_softmax if blind else activation.softmax)(scores, axis=-1)


@table.convert("aten._scaled_dot_product_flash_attention_for_cpu.default")
def flash_attention(
    query: Value,
    key: Value,
    value: Value,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Value | None = None,
    scale: float | None = None,
) -> tuple[Value, Value]:
    """The second result is the logarithm of the sum of the powers of the scores, in float32."""
    if any(shapes_differ(query.shape[:1], x.shape[:1]) for x in (key, value)):
        raise BadType(f"attention of {query.type}, {key.type} and {value.type}: batches differ")
    required_still(dropout_p)
    bias = attention_bias(query, key, attn_mask, is_causal)
    blind = may_be_blind(bias, is_causal)
    result, scores = attend(query, key, value, bias, scale, blind=blind)
    wide = Precision.FLOAT64 if query.precision == Precision.FLOAT64 else Precision.FLOAT32
    if query.precision not in (wide, Precision.FLOAT32):
        q, k, v = (x.cast(wide) for x in (query, key, value))
        mask = None if bias is None else bias.cast(wide)
        scores = attend(q, k, v, mask, scale, blind=blind)[1]
    return result, reduce.reduce_log_sum_exp(scores.cast(wide), [-1], keepdim=False)


table = Table.merge([table, encoder.table])
