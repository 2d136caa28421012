"""ATen's attention and encoder layers as one operator, which programs for inference have."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, compare, reduce, shape
from nnir.recipes.attention import attend, bias_of_mask, swap_heads
from nnir.types import Precision

from ...table import Table, Withheld
from .linear import dense
from .norm import layer_norm

table = Table()

WEIGHTS = Withheld("the weights of an attention that is asked to give none")


@table.convert("aten._native_multi_head_attention.default")
def multi_head_attention(
    query: Value,
    key: Value,
    value: Value,
    embed_dim: int,
    num_head: int,
    qkv_weight: Value,
    qkv_bias: Value,
    proj_weight: Value,
    proj_bias: Value,
    mask: Value | None = None,
    need_weights: bool = True,
    average_attn_weights: bool = True,
    mask_type: int | None = None,
) -> tuple[Value, Value | Withheld]:
    """Samples come first; what is True in a mask is not seen. A query that sees nothing is NaN."""
    if query.rank != 3:
        raise BadType(f"_native_multi_head_attention of {query.type}")
    given = (query, key, value)
    projected = project(given, qkv_weight, qkv_bias, embed_dim)
    heads = [split_heads(x, num_head) for x in projected]
    bias = None if mask is None else bias_of(mask, mask_type, query.precision)
    result, scores = attend(heads[0], heads[1], heads[2], bias, None, blind=False)
    whole = build.reshape(swap_heads(result), build.sizes_of(query))
    output = dense(whole, proj_weight, proj_bias)
    if not need_weights:
        return output, WEIGHTS
    weights = activation.softmax(scores, axis=-1)
    if average_attn_weights:
        weights = mean_over_heads(weights, num_head)
    return output, weights


def project(
    given: tuple[Value, Value, Value], weight: Value, bias: Value, size: int
) -> list[Value]:
    """Queries, keys and values: one product where they come from the same tensor."""
    query, key, value = given
    if query is key and key is value:
        whole = dense(query, weight, bias)
        return list(shape.split(whole, [size] * 3, axis=-1))
    weights = shape.split(weight, [size] * 3, axis=0)
    biases = shape.split(bias, [size] * 3, axis=0)
    return [dense(x, w, b) for x, w, b in zip(given, weights, biases, strict=True)]


def split_heads(x: Value, count: int) -> Value:
    """[batch, length, size] as [batch, heads, length, size of a head]."""
    size = x.shape[-1]
    if not isinstance(size, int) or size % count:
        raise BadType(f"{count} heads of {x.type}")
    return swap_heads(build.reshape(x, [*build.sizes_of(x)[:2], count, size // count]))


def mean_over_heads(weights: Value, count: int) -> Value:
    """The mean over the axis of heads."""
    return reduce.reduce_sum(weights, [1], keepdim=False) / count


def bias_of(mask: Value, kind: int | None, precision: Precision) -> Value:
    """What is added to the scores, -inf where the mask is True or not 0."""
    closed = mask if mask.precision == Precision.BOOL8 else compare.not_equal(mask, 0)
    bias = bias_of_mask(~closed, precision)
    match kind:
        case 0 | 2:  # queries and keys, or all axes
            return bias
        case 1:  # samples and keys
            return shape.unsqueeze(bias, [1, 2])
    raise Unsupported(f"_native_multi_head_attention with mask_type={kind!r}")


@table.convert("aten._transformer_encoder_layer_fwd.default")
def encoder_layer(
    src: Value,
    embed_dim: int,
    num_heads: int,
    qkv_weight: Value,
    qkv_bias: Value,
    proj_weight: Value,
    proj_bias: Value,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    norm_weight_1: Value,
    norm_bias_1: Value,
    norm_weight_2: Value,
    norm_bias_2: Value,
    ffn_weight_1: Value,
    ffn_bias_1: Value,
    ffn_weight_2: Value,
    ffn_bias_2: Value,
    mask: Value | None = None,
    mask_type: int | None = None,
) -> Value:
    size = src.model.constant(np.array([embed_dim], np.int64))

    def normalize(x: Value, weight: Value, bias: Value) -> Value:
        return layer_norm(x, size, weight, bias, eps)

    x = normalize(src, norm_weight_1, norm_bias_1) if norm_first else src
    attended, _ = multi_head_attention(
        *(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias),
        mask=mask,
        need_weights=False,
        mask_type=mask_type,
    )
    x = attended + src
    if not norm_first:
        x = normalize(x, norm_weight_1, norm_bias_1)
    inner = normalize(x, norm_weight_2, norm_bias_2) if norm_first else x
    inner = dense(inner, ffn_weight_1, ffn_bias_1)
    inner = activation.gelu(inner) if use_gelu else activation.relu(inner)
    x = dense(inner, ffn_weight_2, ffn_bias_2) + x
    return x if norm_first else normalize(x, norm_weight_2, norm_bias_2)
