"""ONNX attention and what belongs to it."""

from __future__ import annotations

import functools
import math
from typing import Literal

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation as activations
from nnir.ops import attention as recurrent
from nnir.ops import binary, compare, index, linear, logic, reduce, unary
from nnir.ops import shape as ops
from nnir.recipes.attention import (
    bias_of_mask,
    merge_heads,
    repeat_heads,
    rotary_embedding,
    scale_of,
    split_heads,
    widen_mask,
)
from nnir.recipes.promotion import HALVES
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
    softmax_precision: Precision | None = None,
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
    seen = seen_keys(query, key, past_key, nonpad_kv_seqlen, left_window_size, right)
    bias = _bias(q.precision, key, attn_mask, seen)
    raw = _scores(query, repeat_heads(key, query), scale)
    capped = activations.tanh(raw / softcap) * softcap if softcap > 0 else raw
    biased = capped if bias is None else capped + bias
    weights = softmax(biased.cast(softmax_precision or q.precision))
    if bias is not None:  # a query that may see no key has weights of 0
        blind = compare.equal(reduce.reduce_max(bias, [-1], keepdim=True), -np.inf)
        weights = compare.where(blind, 0, weights)
    weights = weights.cast(q.precision)
    output = linear.mat_mul(weights, repeat_heads(value, query))
    shown = (raw, capped, biased, weights)[qk_matmul_output_mode]
    return (merge_heads(output) if q.rank == 3 else output), key, value, shown


def _scores(query: Value, key: Value, scale: float | None) -> Value:
    """Both factors are scaled by the root, as ONNX does against overflow."""
    root = math.sqrt(scale_of(query, scale))
    return linear.mat_mul(query * root, key * root, transpose_y=True)


def softmax(scores: Value) -> Value:
    """Over the last axis; ONNX defines it step by step, each rounded to 16 bits where those are."""
    if scores.precision not in HALVES:
        return activations.softmax(scores, axis=-1)
    powers = unary.exp(scores - reduce.reduce_max(scores, [-1], keepdim=True))
    return powers / reduce.reduce_sum(powers, [-1], keepdim=True)


def seen_keys(
    query: Value, key: Value, past_key: Value | None, valid: Value | None, left: int, right: int
) -> list[Value]:
    """What must hold of a key so that a query sees it: it is in the window, and it is there."""
    seen, keys = [], build.arange_along(key, 2)
    ends = None if valid is None else ops.unsqueeze(build.int64(valid), [1, 2, 3])
    if max(left, right) >= 0:
        own = build.vector(query.model, [build.size_of(query, 2)])
        before = 0 if past_key is None else build.size_of(past_key, 2)
        is_first = past_key is not None or ends is None
        first = build.vector(query.model, [before]) if is_first else ends - own
        place = ops.unsqueeze(build.arange_along(query, 2), [1]) + first
        if right >= 0:
            seen.append(keys <= (place + right if right else place))
        if left >= 0:
            seen.append(place - left <= keys)
    return seen if ends is None else [*seen, keys < ends]


def _bias(precision: Precision, key: Value, mask: Value | None, seen: list[Value]) -> Value | None:
    """What is added to the scores: the mask, and -inf where a key must not be seen."""
    if mask is not None:
        mask = widen_mask(mask, key)
        if mask.precision == Precision.BOOL8:
            seen, mask = [*seen, mask], None
    if not seen:
        return mask
    closed = bias_of_mask(functools.reduce(logic.and_, seen), precision)
    return closed if mask is None else mask + closed


table.convert("RotaryEmbedding", since=23)(rotary_embedding)


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
    is_first = past_state is None
    pads = [0, 0, 0, 0, taps - 1, 0]
    whole = ops.pad(input, pads) if is_first else ops.concat(past_state, input, axis=2)
    wide = Precision.FLOAT64 if input.precision == Precision.FLOAT64 else Precision.FLOAT32
    signal, kernel = whole.cast(wide), ops.squeeze(weight.cast(wide), [1])
    total = functools.reduce(
        binary.add,
        (
            index.slice_(signal, [2], [tap], [tap + 1 - taps or build.END])
            * index.slice_(kernel, [1], [tap], [tap + 1])
            for tap in range(taps)
        ),
    )
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
    softmax_precision: Precision | None = None,
    translator: Translator,
) -> Value:
    """Attention whose scores and weights pass through sub-graphs; 16-bit floats in float32."""
    if not q.rank == k.rank == v.rank == 4:
        raise BadType(f"FlexAttention of {q.type}, {k.type} and {v.type}")
    kind = softmax_precision or (Precision.FLOAT32 if q.precision in HALVES else q.precision)
    scores = _scores(q, repeat_heads(k, q), scale).cast(kind)
    weights = softmax(_modify_scores(translator, score_mod, scores))
    weights = _modify_scores(translator, prob_mod, weights)
    return linear.mat_mul(weights, repeat_heads(v, q).cast(kind)).cast(v.precision)


def _modify_scores(translator: Translator, graph: SourceGraph | None, value: Value) -> Value:
    if graph is None:
        return value
    (result,) = translator.inline(graph, {graph.inputs[0].name: value})
    if not isinstance(result, Value) or result.precision != value.precision:
        raise BadType(f"FlexAttention with a sub-graph that gives {result!r}")
    return result
