"""ONNX attention and what belongs to it."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Limit, ModelCase, Tolerance, i, rand

CLOSE = Tolerance(1e-5, 2e-6)
HALF = Tolerance(2e-3, 2e-3)
Q = rand(2, 4, 3, 8)
K = rand(2, 4, 5, 8, seed=1)
V = rand(2, 4, 5, 6, seed=2)
HUGE = Q * np.where(np.arange(3) == 1, 1e6, 1).astype(np.float32).reshape(3, 1)
Q3, K3, V3 = rand(2, 3, 24), rand(2, 5, 8, seed=1), rand(2, 5, 6, seed=2)
PAST = (rand(2, 4, 2, 8, seed=3), rand(2, 4, 2, 6, seed=4))
MASK = rand(3, 5, seed=5)
SEEN = np.array([[1, 1, 0, 1, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 1]], bool)
GQA = {"q_num_heads": 6, "kv_num_heads": 2}


def attend(*inputs: object, why: str = "", **attrs: object) -> Case:
    """An Attention case of the newest opset."""
    return Case("Attention", inputs, attrs, why=why, opset=25, outputs=4, tol=CLOSE)


ATTENTION = [
    attend(Q, K, V),
    attend(Q, K, V, MASK, why="a mask that is added"),
    attend(Q, K, V, SEEN, why="a mask of bools, one row closed"),
    attend(Q, K, V, rand(2, 1, 3, 4), why="a shorter mask"),
    attend(Q, K, V, is_causal=1),
    attend(Q, K, V, None, *PAST, is_causal=1, why="causal behind a cache"),
    attend(Q, K, V, None, None, None, i(3, 5), is_causal=1, why="valid keys"),
    attend(Q, K, V, SEEN, None, None, i(2, 4), why="valid keys and a mask"),
    attend(Q, K, V, left_window_size=1, right_window_size=1),
    attend(Q, K, V, None, *PAST, left_window_size=2, is_causal=1, why="a window and a cache"),
    *(
        attend(Q, K, V, mask, None, None, valid, why=f"{name}, {how}, {valid}", **given)
        for name, mask in {"numbers": MASK, "bools": SEEN, "few bools": SEEN[:, :4]}.items()
        for how, given in {
            "causal": {"is_causal": 1},
            "a window": {"left_window_size": 1, "right_window_size": 0},
            "all before": {"right_window_size": 1},
        }.items()
        for valid in (None, i(3, 5))
    ),
    attend(Q, K, V, softcap=0.5, scale=0.3, qk_matmul_output_mode=1),
    attend(Q, K, V, MASK, qk_matmul_output_mode=2),
    attend(Q, K, V, SEEN, qk_matmul_output_mode=3),
    attend(Q3, K3, V3, **GQA, why="rank 3, shared heads"),
    attend(Q, K[:, :2], V[:, :2], why="rank 4, shared heads"),
    attend(Q, K, V, softmax_precision=11, why="softmax in float64"),
    Case("Attention", (Q, K, V), opset=23, tol=CLOSE, why="the first opset"),
    Case(
        "Attention",
        tuple(x.astype(np.float16) for x in (Q, K, V)),
        {"is_causal": 1},
        tol=HALF,
        why="half",
    ),
    Case("Attention", (Q, K, V), {"qk_matmul_output_mode": 4}, raises=Unsupported),
    Case("Attention", (Q, K, V, None, PAST[0]), why="half a cache", raises=BadType),
    Case("Attention", (Q3, K3, V3), why="rank 3 without heads", raises=BadType),
    Case("FlexAttention", (Q3, K3, V3), domain="ai.onnx.preview", why="rank 3", raises=BadType),
    Case("FlexAttention", (Q, K, V), {"scale": 0.2}, domain="ai.onnx.preview", tol=CLOSE),
    Case("FlexAttention", (Q, K[:, :2], V[:, :2]), domain="ai.onnx.preview", tol=CLOSE),
    Case(
        "FlexAttention",
        (HUGE, K, V),
        {"softmax_precision": 10},
        domain="ai.onnx.preview",
        why="scores of one row are infinite in half",
        tol=HALF,
    ),
    Case(
        "FlexAttention",
        (Q, K, V),
        {"softmax_precision": 7},
        domain="ai.onnx.preview",
        why="softmax of integers",
        raises=BadType,
    ),
]
FLEX = """<ir_version: 10, opset_import: ["" : 23, "ai.onnx.preview" : 1]>
main (float[2, 4, 3, 8] q, float[2, 4, 5, 8] k, float[2, 4, 5, 6] v) => (float[2, 4, 3, 6] y) {
  y = ai.onnx.preview.FlexAttention <
    score_mod = capped (float[B, H, L, S] s) => (float[B, H, L, S] t) {
      cap = Constant <value = float {0.5}> ()
      small = Div (s, cap)
      bent = Tanh (small)
      t = Mul (bent, cap)
    },
    prob_mod = halved (float[B, H, L, S] p) => (float[B, H, L, S] r) {
      half = Constant <value = float {0.25}> ()
      r = Mul (p, half)
    }
  > (q, k, v)
}"""
FLEX_TYPE = FLEX.replace("r = Mul (p, half)", "r = Cast <to = 11> (p)").replace(
    "(float[B, H, L, S] r)", "(double[B, H, L, S] r)"
)
FLEXIBLE = ("ai.onnx.preview::FlexAttention",)
MODELS = [
    ModelCase(FLEXIBLE, FLEX, (Q, K, V), "scores and weights through sub-graphs", tol=CLOSE),
    ModelCase(FLEXIBLE, FLEX_TYPE, (Q, K, V), "a sub-graph that changes the type", raises=BadType),
]
COS, SIN = rand(9, 4, seed=6), rand(9, 4, seed=7)
IDS = np.array([[1, 2, 8], [0, 3, 3]], np.int64)
ROTARY = [
    Case("RotaryEmbedding", (Q, COS, SIN, IDS), tol=CLOSE),
    Case("RotaryEmbedding", (Q, COS, SIN, IDS), {"interleaved": 1}, tol=CLOSE),
    Case("RotaryEmbedding", (Q3, COS, SIN, IDS), {"num_heads": 3}, tol=CLOSE, why="rank 3"),
    Case(
        "RotaryEmbedding",
        (Q, rand(2, 3, 2), rand(2, 3, 2, seed=1)),
        {"rotary_embedding_dim": 4},
        tol=CLOSE,
        why="some features, no positions",
    ),
    Case("RotaryEmbedding", (Q3, COS, SIN, IDS), why="no heads", raises=BadType),
]
HEADS = {"q_num_heads": 4, "kv_num_heads": 2}
LQ, LK, LV = rand(2, 3, 12), rand(2, 3, 6, seed=1), rand(2, 3, 10, seed=2)
STATE = rand(2, 2, 3, 5, seed=3)
DECAY, BETA = rand(2, 3, 6, seed=4, low=-1, high=0), rand(2, 3, 2, seed=5, low=0, high=1)


def linear(rule: str, *inputs: object, why: str = "", **attrs: object) -> Case:
    """A LinearAttention case."""
    attrs = {**HEADS, "update_rule": rule, **attrs}
    given = (LQ, LK, LV, *inputs)
    return Case("LinearAttention", given, attrs, why=why or rule, opset=27, outputs=2, tol=CLOSE)


RECURRENT = [
    linear("linear"),
    linear("linear", chunk_size=2, why="chunks change nothing"),
    linear("gated", STATE, DECAY),
    linear("delta", None, None, BETA, scale=0.5),
    linear("gated_delta", STATE, DECAY, BETA[:, :, :1]),
    Case(
        "LinearAttention",
        (LQ, LK, LV, STATE, DECAY, BETA),
        HEADS,
        opset=27,
        outputs=2,
        tol=CLOSE,
        why="defaults",
    ),
    linear("gated", None, DECAY[:, :, :2], why="one decay per head"),
    Case("LinearAttention", (LQ, LK, LV), HEADS, opset=27, why="no decay", raises=BadType),
    Case(
        "LinearAttention",
        (LQ, LK[..., :2], LV),
        {**HEADS, "update_rule": "linear"},
        opset=27,
        why="shorter keys",
        raises=BadType,
    ),
    Case(
        "LinearAttention",
        (LQ, LK, LV),
        {**HEADS, "update_rule": "x"},
        opset=27,
        why="a rule",
        raises=BadType,
    ),
]
SIGNAL, TAPS = rand(2, 3, 6), rand(3, 1, 4, seed=1)
CAUSAL = [
    Case("CausalConvWithState", (SIGNAL, TAPS), opset=27, outputs=2, tol=CLOSE),
    Case(
        "CausalConvWithState",
        (SIGNAL, Const(TAPS), rand(3), rand(2, 3, 3, seed=2)),
        {"activation": "silu"},
        opset=27,
        outputs=2,
        tol=CLOSE,
    ),
    Case(
        "CausalConvWithState",
        (SIGNAL, rand(3, 1, 1)),
        opset=27,
        outputs=2,
        tol=CLOSE,
        why="one tap, an empty state",
    ),
    Case(
        "CausalConvWithState",
        (SIGNAL, TAPS),
        {"activation": "relu"},
        opset=27,
        why="an activation",
        raises=Unsupported,
    ),
]
CASES = [*ATTENTION, *ROTARY, *RECURRENT, *CAUSAL]
LIMITS = [
    Limit(
        "FlexAttention",
        "ONNX Runtime drops a cast to half between float32 nodes, and so its overflow",
        device="onnxruntime",
        case="infinite in half",
    )
]
