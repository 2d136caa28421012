"""ONNX attention and what belongs to it."""

from __future__ import annotations

import functools
import math
from typing import Literal

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.formats.onnx import precision_of_code
from nnir.model import Value
from nnir.ops import activation as activations
from nnir.ops import attention as recurrent
from nnir.ops import binary, compare, index, linear, logic, reduce, unary
from nnir.ops import shape as ops
from nnir.recipes.attention import repeat_heads, rotate_features
from nnir.recipes.shape import split_pieces
from nnir.types import Precision

from ...source import SourceGraph
from ...table import Pair, Table
from ...translate import Translator

table = Table()
table.same({"LinearAttention": recurrent.linear_attention}, since=27)
MOST_TAPS = 256


@table.convert("Attention", since=23)
def attention(
    q: Value,
    k: Value,
    v: Value,
    attn_mask: Value | None = None,
    past_key: Value | None = None,
    past_value: Value | None = None,
    nonpad_kv_seqlen: Value | None = None,
    *,
    is_causal: bool = False,
    kv_num_heads: int | None = None,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: Literal[0, 1, 2, 3] = 0,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
    left_window_size: int = -1,
    right_window_size: int = -1,
) -> tuple[Value, ...]:
    """Opset 24 adds `nonpad_kv_seqlen`, opset 25 the window; both are absent before."""
    query = split_heads(q, q_num_heads, "Attention")
    key, value = (split_heads(x, kv_num_heads, "Attention") for x in (k, v))
    if past_key is not None and past_value is not None:
        key, value = ops.concat(past_key, key, axis=2), ops.concat(past_value, value, axis=2)
    elif past_key is not past_value:
        raise BadType("Attention with only one of past_key and past_value")
    right = 0 if is_causal else right_window_size
    bias = _bias(
        query,
        key,
        attn_mask,
        _offset(query, past_key, nonpad_kv_seqlen),
        nonpad_kv_seqlen,
        left=left_window_size,
        right=right,
    )
    raw = _scores(query, repeat_heads(key, query), scale)
    capped = activations.tanh(raw / softcap) * softcap if softcap > 0 else raw
    biased = capped if bias is None else capped + bias
    kind = q.precision if softmax_precision is None else precision_of_code(softmax_precision)
    weights = _weights(biased, bias, kind).cast(q.precision)
    output = linear.mat_mul(weights, repeat_heads(value, query))
    shown = (raw, capped, biased, weights)[qk_matmul_output_mode]
    return (merge_heads(output) if q.rank == 3 else output), key, value, shown


def split_heads(value: Value, heads: int | None, name: str) -> Value:
    """[batch, time, heads * n] as [batch, heads, time, n]; rank 4 is that already."""
    if value.rank == 4:
        return value
    width = value.shape[-1]
    if value.rank != 3 or not heads or isinstance(width, Expr) or width % heads:
        raise BadType(f"{name} of {value.type} with {heads} heads")
    return ops.transpose(ops.reshape(value, [0, 0, heads, width // heads]), perm=(0, 2, 1, 3))


def merge_heads(value: Value) -> Value:
    """[batch, heads, time, n] as [batch, time, heads * n]."""
    return ops.flatten(ops.transpose(value, perm=(0, 2, 1, 3)), start_axis=2, end_axis=3)


def _scores(query: Value, key: Value, scale: float | None) -> Value:
    """Both factors are scaled by the root, as ONNX does against overflow."""
    size = query.shape[-1]
    if scale is None:
        if isinstance(size, Expr):
            raise NotConstant(f"attention of {query.type} without scale: the size is not known")
        scale = 1 / math.sqrt(size)
    root = math.sqrt(scale)
    return linear.mat_mul(query * root, key * root, transpose_y=True)


def _weights(scores: Value, bias: Value | None, kind: Precision) -> Value:
    """The softmax over the keys; a query that may see none of them has weights of 0."""
    weights = softmax(scores.cast(kind))
    if bias is None:
        return weights
    blind = compare.equal(reduce.reduce_max(bias, [-1], keepdim=True), -np.inf)
    return compare.where(blind, 0, weights)


def softmax(scores: Value) -> Value:
    """Over the last axis; ONNX defines it step by step, each rounded to 16 bits where those are."""
    if scores.precision not in (Precision.FLOAT16, Precision.BFLOAT16):
        return activations.softmax(scores, axis=-1)
    highest = reduce.reduce_max(scores, [-1], keepdim=True)
    powers = unary.exp(scores - highest)
    return powers / reduce.reduce_sum(powers, [-1], keepdim=True)


def _offset(query: Value, past_key: Value | None, valid: Value | None) -> Value:
    """The position of the first query among the keys: one for all, or one per batch."""
    if past_key is not None or valid is None:
        before = 0 if past_key is None else build.size_of(past_key, 2)
        return build.vector(query.model, [before])
    length = build.vector(query.model, [build.size_of(query, 2)])
    return ops.unsqueeze(build.int64(valid) - length, [1, 2, 3])


def _bias(
    query: Value,
    key: Value,
    mask: Value | None,
    offset: Value,
    valid: Value | None,
    *,
    left: int,
    right: int,
) -> Value | None:
    """What is added to the scores: the mask, and -inf where a key must not be seen."""
    seen: list[Value] = []
    keys = build.arange_along(key, 2)
    if left >= 0 or right >= 0:
        place = ops.unsqueeze(build.arange_along(query, 2), [1]) + offset
        if right >= 0:
            seen.append(keys <= (place + right if right else place))
        if left >= 0:
            seen.append(place - left <= keys)
    if valid is not None:
        seen.append(keys < ops.unsqueeze(build.int64(valid), [1, 2, 3]))
    if mask is not None:
        mask = _widen_mask(mask, key)
        if mask.precision == Precision.BOOL8:
            seen.append(mask)
            mask = None
    if not seen:
        return mask
    lowest = query.scalar(-np.inf)
    closed = compare.where(functools.reduce(logic.and_, seen), 0, lowest)
    return closed if mask is None else mask + closed


def _widen_mask(mask: Value, key: Value) -> Value:
    """A mask for fewer keys than there are hides the others."""
    if mask.shape[-1] == key.shape[2]:
        return mask
    missing = build.minus(build.size_of(key, 2), build.size_of(mask, mask.rank - 1))
    hidden = False if mask.precision == Precision.BOOL8 else -np.inf
    pads = build.vector(mask.model, [0] * (2 * mask.rank - 1) + [missing])
    return ops.pad(mask, pads, mask.model.constant(hidden, mask.dtype))


@table.convert("RotaryEmbedding", since=23)
def rotary_embedding(
    x: Value,
    cos_cache: Value,
    sin_cache: Value,
    position_ids: Value | None = None,
    *,
    interleaved: bool = False,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Value:
    """Turn pairs of features by an angle that grows with the position."""
    heads = split_heads(x, num_heads, "RotaryEmbedding")
    size = heads.shape[3]
    width = rotary_embedding_dim or size
    if isinstance(size, Expr) or isinstance(width, Expr) or width % 2:
        raise BadType(f"RotaryEmbedding of {x.type} over {width} features")
    angles = []
    for cache in (sin_cache, cos_cache):
        own = cache if position_ids is None else index.gather(cache, position_ids, axis=0)
        both = (ops.stack if interleaved else ops.concat)(own, own, axis=-1)
        angles.append(ops.unsqueeze(ops.flatten(both, start_axis=2, end_axis=-1), [1]))
    turned, *rest = split_pieces(heads, [width, size - width][: 1 + (width < size)], 3)
    made = rotate_features(turned, *angles, side_by_side=interleaved)
    whole = ops.concat(made, *rest, axis=3) if rest else made
    return merge_heads(whole) if x.rank == 3 else whole


@table.convert("CausalConvWithState", since=27)
def causal_conv_with_state(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    past_state: Value | None = None,
    *,
    activation: Literal["none", "silu", "swish"] = "none",
) -> Pair:
    """A sum over the few taps of the kernel, each a shifted view of the input."""
    taps = weight.shape[-1]
    if input.rank != 3 or weight.rank != 3 or isinstance(taps, Expr):
        raise BadType(f"CausalConvWithState of {input.type} by {weight.type}")
    if not 0 < taps <= MOST_TAPS:
        raise Unsupported(f"CausalConvWithState with a kernel of {taps}")
    if past_state is None:
        whole = ops.pad(input, [0, 0, 0, 0, taps - 1, 0])
    else:
        whole = ops.concat(past_state, input, axis=2)
    wide = Precision.FLOAT64 if input.precision == Precision.FLOAT64 else Precision.FLOAT32
    signal, kernel = whole.cast(wide), ops.squeeze(weight.cast(wide), [1])
    parts = (
        index.slice_(signal, [2], [tap], [tap + 1 - taps or build.END])
        * index.slice_(kernel, [1], [tap], [tap + 1])
        for tap in range(taps)
    )
    total = functools.reduce(binary.add, parts)
    if bias is not None:
        total = total + ops.unsqueeze(bias.cast(wide), [1])
    output = total.cast(input.precision)
    output = output if activation == "none" else activations.swish(output)
    return output, index.slice_(whole, [2], [1 - taps or build.END], [build.END])


@table.convert("ai.onnx.preview::FlexAttention")
def flex_attention(
    q: Value,
    k: Value,
    v: Value,
    *,
    prob_mod: SourceGraph | None = None,
    scale: float | None = None,
    score_mod: SourceGraph | None = None,
    softmax_precision: int | None = None,
    translator: Translator,
) -> Value:
    """Attention whose scores and weights pass through sub-graphs; 16-bit floats in float32."""
    if not q.rank == k.rank == v.rank == 4:
        raise BadType(f"FlexAttention of {q.type}, {k.type} and {v.type}")
    small = q.precision in (Precision.FLOAT16, Precision.BFLOAT16)
    kind = Precision.FLOAT32 if small else q.precision
    if softmax_precision is not None:
        kind = precision_of_code(softmax_precision)
    scores = _scores(q, repeat_heads(k, q), scale).cast(kind)
    weights = softmax(_modify_scores(translator, score_mod, scores))
    weights = _modify_scores(translator, prob_mod, weights)
    values = repeat_heads(v, q).cast(kind)
    return linear.mat_mul(weights, values).cast(v.precision)


def _modify_scores(translator: Translator, graph: SourceGraph | None, value: Value) -> Value:
    if graph is None:
        return value
    (result,) = translator.inline(graph, {graph.inputs[0].name: value})
    if not isinstance(result, Value) or result.precision != value.precision:
        raise BadType(f"FlexAttention with a sub-graph that gives {result!r}")
    return result
