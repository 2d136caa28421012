"""ONNX attention and what belongs to it."""

from __future__ import annotations

from typing import Literal

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import linear
from nnir.ops.attention import linear_attention
from nnir.recipes import masked_attention as recipes
from nnir.recipes.attention import merge_heads, repeat_heads, rotary_embedding, split_heads
from nnir.recipes.causal_conv import convolve_causally
from nnir.recipes.promotion import HALVES
from nnir.types import Precision

from ...source import SourceGraph
from ...table import Maybe, Table
from ...translate import Translator

table = Table()
table.same(
    {"CausalConvWithState": convolve_causally, "LinearAttention": linear_attention}, since=27
)
table.same({"RotaryEmbedding": rotary_embedding}, since=23)


@table.convert("Attention", since=23)
def attention(
    q: Value,
    k: Value,
    v: Value,
    attn_mask: Maybe = None,
    past_key: Maybe = None,
    past_value: Maybe = None,
    nonpad_kv_seqlen: Maybe = None,
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
    key, value = recipes.extend_past(key, value, past_key, past_value)
    right = 0 if is_causal else right_window_size
    seen = recipes.seen_keys(query, key, past_key, nonpad_kv_seqlen, left_window_size, right)
    bias = recipes.bias_of_seen(q.precision, key, attn_mask, seen)
    kind = softmax_precision or q.precision
    output, *shown = recipes.attend_in_steps(query, key, value, bias, scale, softcap, kind)
    merged = merge_heads(output) if q.rank == 3 else output
    return merged, key, value, shown[qk_matmul_output_mode]


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
    scores = recipes.score_by_root(q, repeat_heads(k, q), scale).cast(kind)
    weights = recipes.softmax_in_steps(_modify_scores(translator, score_mod, scores))
    weights = _modify_scores(translator, prob_mod, weights)
    return linear.mat_mul(weights, repeat_heads(v, q).cast(kind)).cast(v.precision)


def _modify_scores(translator: Translator, graph: SourceGraph | None, value: Value) -> Value:
    if graph is None:
        return value
    (given,) = graph.inputs
    (result,) = translator.inline(graph, {given.name: value})
    if not isinstance(result, Value) or result.precision != value.precision:
        raise BadType(f"FlexAttention with a sub-graph that gives {result!r}")
    return result
