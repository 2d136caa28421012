"""ONNX attention and what belongs to it."""

from __future__ import annotations

import math

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.formats.onnx import precision_of_code
from nnir.model import Value
from nnir.ops import activation, compare, index, linear, reduce, unary
from nnir.ops import attention as recurrent
from nnir.ops import shape as ops
from nnir.types import Precision

from ...source import SourceGraph
from ...table import Table
from ...translate import Translator
from .shape import int64

table = Table()
MOST_TAPS = 256
END = np.iinfo(np.int64).max


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
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
    left_window_size: int = -1,
    right_window_size: int = -1,
) -> tuple[Value, Value, Value, Value]:
    """Opset 24 adds `nonpad_kv_seqlen`, opset 25 the window; both are absent before."""
    if (past_key is None) != (past_value is None):
        raise BadType("Attention with only one of past_key and past_value")
    query = split_heads(q, q_num_heads, "Attention")
    key, value = (split_heads(x, kv_num_heads, "Attention") for x in (k, v))
    if past_key is not None:
        key, value = ops.concat(past_key, key, axis=2), ops.concat(past_value, value, axis=2)
    bias = _bias(
        query,
        key,
        attn_mask,
        _offset(query, past_key, nonpad_kv_seqlen),
        nonpad_kv_seqlen,
        left=left_window_size,
        right=right_window_size,
        is_causal=bool(is_causal),
    )
    raw = _scores(query, repeat_heads(key, query), scale)
    capped = _soft_cap(raw, softcap)
    biased = capped if bias is None else capped + bias
    kind = q.precision if softmax_precision is None else precision_of_code(softmax_precision)
    weights = unary.cast(_weights(biased, bias, kind), dtype=q.precision)
    output = linear.mat_mul(weights, repeat_heads(value, query))
    match qk_matmul_output_mode:
        case 0 | 1 | 2 | 3:
            shown = (raw, capped, biased, weights)[qk_matmul_output_mode]
        case _:
            raise Unsupported(f"Attention with qk_matmul_output_mode={qk_matmul_output_mode!r}")
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


def repeat_heads(value: Value, query: Value) -> Value:
    """Every key and value head once for each of the query heads that share it."""
    mine, theirs = value.shape[1], query.shape[1]
    if mine == theirs:
        return value
    if isinstance(mine, Expr) or isinstance(theirs, Expr) or theirs % mine:
        raise BadType(f"Attention with {theirs} query heads over {mine}")
    repeated = ops.expand(ops.unsqueeze(value, [2]), [-1, -1, theirs // mine, -1, -1])
    return ops.flatten(repeated, start_axis=1, end_axis=2)


def _scores(query: Value, key: Value, scale: float | None) -> Value:
    """Both factors are scaled by the root, as ONNX does against overflow."""
    size = query.shape[-1]
    if scale is None:
        if isinstance(size, Expr):
            raise NotConstant(f"attention of {query.type} without scale: the size is not known")
        scale = 1 / math.sqrt(size)
    root = math.sqrt(scale)
    factor = query.model.constant(root, query.dtype)
    left, right = query * factor, key * factor
    return linear.mat_mul(left, right, transpose_y=True)


def _soft_cap(scores: Value, softcap: float) -> Value:
    if softcap <= 0:
        return scores
    cap = scores.model.constant(softcap, scores.dtype)
    return activation.tanh(scores / cap) * cap


def _weights(scores: Value, bias: Value | None, kind: Precision) -> Value:
    """The softmax over the keys; a query that may see none of them has weights of 0."""
    weights = softmax(unary.cast(scores, dtype=kind))
    if bias is None:
        return weights
    lowest = bias.model.constant(-np.inf, bias.dtype)
    blind = compare.equal(reduce.reduce_max(bias, [-1], keepdim=True), lowest)
    return compare.where(blind, 0, weights)


def softmax(scores: Value) -> Value:
    """Over the last axis; ONNX defines it step by step, each rounded to 16 bits where those are."""
    if scores.precision not in (Precision.FLOAT16, Precision.BFLOAT16):
        return activation.softmax(scores, axis=-1)
    highest = reduce.reduce_max(scores, [-1], keepdim=True)
    powers = unary.exp(scores - highest)
    return powers / reduce.reduce_sum(powers, [-1], keepdim=True)


def _offset(query: Value, past_key: Value | None, valid: Value | None) -> Value:
    """The position of the first query among the keys: one for all, or one per batch."""
    if past_key is not None or valid is None:
        before = 0 if past_key is None else build.size_of(past_key, 2)
        return build.vector(query.model, [before])
    length = build.vector(query.model, [build.size_of(query, 2)])
    return ops.unsqueeze(int64(valid) - length, [1, 2, 3])


def _bias(
    query: Value,
    key: Value,
    mask: Value | None,
    offset: Value,
    valid: Value | None,
    *,
    left: int,
    right: int,
    is_causal: bool,
) -> Value | None:
    """What is added to the scores: the mask, and -inf where a key must not be seen."""
    model = query.model
    seen: list[Value] = []
    keys = build.arange_along(key, 2)
    if is_causal or left >= 0 or right >= 0:
        place = ops.unsqueeze(build.arange_along(query, 2), [1]) + offset
        if is_causal:
            seen.append(keys <= place)
        if right >= 0:
            seen.append(keys <= place + right)
        if left >= 0:
            seen.append(place - left <= keys)
    if valid is not None:
        seen.append(keys < ops.unsqueeze(int64(valid), [1, 2, 3]))
    if mask is not None:
        mask = _widen_mask(mask, key)
        if mask.precision == Precision.BOOL8:
            seen.append(mask)
    total = None if mask is None or mask.precision == Precision.BOOL8 else mask
    if seen:
        allowed = seen[0]
        for condition in seen[1:]:
            allowed = allowed & condition
        zero, lowest = (model.constant(x, query.dtype) for x in (0, -np.inf))
        closed = compare.where(allowed, zero, lowest)
        total = closed if total is None else total + closed
    return total


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
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Value:
    """Turn pairs of features by an angle that grows with the position."""
    rows = ops.transpose(split_heads(x, num_heads, "RotaryEmbedding"), perm=(0, 2, 1, 3))
    width = rotary_embedding_dim or rows.shape[3]
    if isinstance(width, Expr) or width % 2:
        raise BadType(f"RotaryEmbedding of {x.type} over {width} features")
    cos, sin = (
        ops.unsqueeze(c if position_ids is None else index.gather(c, position_ids, axis=0), [2])
        for c in (cos_cache, sin_cache)
    )
    turned, rest = index.slice_(rows, [3], [0], [width]), index.slice_(rows, [3], [width], [END])
    half = width // 2
    if interleaved:
        first, second = (index.slice_(turned, [3], [k], [END], [2]) for k in (0, 1))
    else:
        first, second = (index.slice_(turned, [3], [k], [k + half]) for k in (0, half))
    real = cos * first - sin * second
    imaginary = sin * first + cos * second
    if interleaved:
        pairs = ops.stack(real, imaginary, axis=-1)
        joined = ops.flatten(pairs, start_axis=3, end_axis=4)
    else:
        joined = ops.concat(real, imaginary, axis=3)
    if rest.shape[3] != 0:
        joined = ops.concat(joined, rest, axis=3)
    if x.rank == 3:
        return ops.flatten(joined, start_axis=2, end_axis=3)
    return ops.transpose(joined, perm=(0, 2, 1, 3))


@table.convert("LinearAttention", since=27)
def linear_attention(
    query: Value,
    key: Value,
    value: Value,
    past_state: Value | None = None,
    decay: Value | None = None,
    beta: Value | None = None,
    *,
    chunk_size: int = 64,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float = 0.0,
    update_rule: str = "gated_delta",
) -> tuple[Value, Value]:
    """`chunk_size` is a hint that changes no result."""
    return recurrent.linear_attention(
        query,
        key,
        value,
        past_state,
        decay,
        beta,
        q_num_heads=q_num_heads,
        kv_num_heads=kv_num_heads,
        scale=scale,
        update_rule=update_rule,
    )


@table.convert("CausalConvWithState", since=27)
def causal_conv_with_state(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    past_state: Value | None = None,
    *,
    activation: str = "none",
) -> tuple[Value, Value]:
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
    signal = unary.cast(whole, dtype=wide)
    kernel = ops.squeeze(unary.cast(weight, dtype=wide), [1])
    total = None
    for tap in range(taps):
        view = index.slice_(signal, [2], [tap], [END if tap == taps - 1 else tap + 1 - taps])
        part = view * index.slice_(kernel, [1], [tap], [tap + 1])
        total = part if total is None else total + part
    if bias is not None:
        total = total + ops.unsqueeze(unary.cast(bias, dtype=wide), [1])
    output = _activate(unary.cast(total, dtype=input.precision), activation)
    kept = index.slice_(whole, [2], [1 - taps if taps > 1 else END], [END])
    return output, kept


def _activate(value: Value, name: str) -> Value:
    match name:
        case "none":
            return value
        case "silu" | "swish":
            return activation.swish(value)
    raise Unsupported(f"CausalConvWithState with activation={name!r}")


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
    scores = unary.cast(_scores(q, repeat_heads(k, q), scale), dtype=kind)
    weights = softmax(_modify_scores(translator, score_mod, scores))
    weights = _modify_scores(translator, prob_mod, weights)
    values = unary.cast(repeat_heads(v, q), dtype=kind)
    return unary.cast(linear.mat_mul(weights, values), dtype=v.precision)


def _modify_scores(translator: Translator, graph: SourceGraph | None, value: Value) -> Value:
    if graph is None:
        return value
    (result,) = translator.inline(graph, {graph.inputs[0].name: value})
    if not isinstance(result, Value) or result.precision != value.precision:
        raise BadType(f"FlexAttention with a sub-graph that gives {result!r}")
    return result
