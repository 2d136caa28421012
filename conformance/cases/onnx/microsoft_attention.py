"""ONNX Runtime's own attention, as its optimiser writes it for encoders and decoders."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, Unsupported

from ...case import Case, Const, ModelCase, Tolerance, i, rand
from .microsoft_activation import MICROSOFT

CLOSE = Tolerance(relative=2e-5, absolute=2e-5)
"""Two sums of products and a softmax, each in another order."""
HALF = Tolerance(relative=4e-3, absolute=4e-3)
"""The same in float32, rounded to a half at the end."""


def case(
    op: str, *inputs: Any, why: str = "", raises: Any = None, outputs: int = 1, **attrs: Any
) -> Case:
    """A case of the domain."""
    tol = {"": CLOSE, "float16": HALF}
    return Case(op, inputs, attrs, tol, why=why, raises=raises, outputs=outputs, domain=MICROSOFT)


def many(*inputs: Any, why: str = "", outputs: int = 1, raises: Any = None, **attrs: Any) -> Case:
    """A case of MultiHeadAttention with two heads."""
    given = {"num_heads": 2, **attrs}
    return case("MultiHeadAttention", *inputs, why=why, outputs=outputs, raises=raises, **given)


def ints(*rows: Any) -> np.ndarray:
    """Bounds and masks are int32."""
    return i(*rows, dtype=np.int32)


Q, K, V = rand(2, 3, 8), rand(2, 5, 8, seed=1), rand(2, 5, 12, seed=2)
OWN_K, OWN_V = rand(2, 3, 8, seed=1), rand(2, 3, 8, seed=2)
PAST = rand(2, 2, 4, 4, seed=3), rand(2, 2, 4, 4, seed=4)
EMPTY = tuple(x[:, :, :0] for x in PAST)
BIASES = rand(28)
FLAT = ints([1, 1, 0, 1, 1], [1, 1, 1, 0, 0])
CUBE = (rand(2, 3, 5, seed=5) > 0).astype(np.int32)
BOUNDS = (
    (ints(3, 5), "the ends of keys"),
    (ints(3, 5, 0, 3, 6, 0, 5, 10), "ends and sums of lengths"),
    (FLAT, "a mask of keys"),
    (CUBE, "a mask of queries and keys"),
)
ADDED = (
    (rand(2, 2, 3, 5, seed=6), "for each head"),
    (rand(1, 2, 3, 5, seed=6), "for all samples"),
    (rand(2, 1, 3, 5, seed=6), "for all heads"),
    (rand(1, 1, 3, 5, seed=6), "for all"),
)
HALVES = tuple(x.astype(np.float16) for x in (Q, K, V))
MANY = [
    many(Q, K, V),
    many(Q, K, V, outputs=3, why="keys and values"),
    many(Q, K, V, BIASES, outputs=3, why="biases"),
    many(Q, K, V, scale=0.25),
    many(Q, OWN_K, OWN_V, unidirectional=1),
    many(Q, K, V, unidirectional=1, why="more keys than queries", raises=Unsupported),
    many(Q, K, V, num_heads=1, why="one head"),
    many(*HALVES),
    *(many(Q, K, V, None, mask, why=why) for mask, why in BOUNDS),
    many(Q, K, V, None, FLAT, mask_filter_value=-1.5, why="what is hidden is seen a little"),
    many(Q, K, V, BIASES, FLAT, ADDED[0][0], scale=0.3, why="all at once"),
    *(many(Q, K, V, None, None, added, why=f"scores added {why}") for added, why in ADDED),
    many(Q, OWN_K, OWN_V, None, None, None, *PAST, outputs=3, why="a past"),
    many(
        Q, OWN_K, OWN_V, None, None, None, *PAST, unidirectional=1, outputs=3, why="a past, causal"
    ),
    many(Q, OWN_K, OWN_V, None, None, None, *EMPTY, outputs=3, why="an empty past"),
    many(
        *(Q, OWN_K, OWN_V, rand(24), ints([1] * 7, [0, 1] * 3 + [1]), None, *PAST),
        outputs=3,
        why="a past and a mask of all keys",
    ),
    many(Q, *PAST, why="keys of another layer"),
    many(Q, *PAST, rand(24), outputs=3, why="keys of another layer, biases"),
    many(rand(2, 3, 2, 3, 4), why="all in one tensor", raises=Unsupported),
    many(Q, rand(2, 5, 2, 2, 4), why="keys and values in one tensor", raises=Unsupported),
    many(Q, K, why="no values", raises=Unsupported),
    many(Q, None, V, why="no keys", raises=Unsupported),
    many(rand(2, 3, 2, 4), K, V, why="queries whose heads are apart", raises=Unsupported),
    many(Q, K[0], V[0], why="keys of one sample", raises=Unsupported),
    many(Q, OWN_K, OWN_V, None, None, None, PAST[0], why="half a past", raises=BadType),
    many(
        *(Q, OWN_K, OWN_V, None, None, None, *PAST, None, np.zeros((2, 1, 7), np.int32)),
        why="beams of a cache that grows",
        raises=Unsupported,
    ),
    many(Q, K, V, None, ints(3, 5, 1), why="bounds of another length", raises=BadType),
    many(Q, K, V, None, np.ones((2, 1, 3, 5), np.int32), why="rank 4", raises=Unsupported),
    many(Q, K, V, num_heads=3, why="heads that do not fit", raises=BadType),
]
ROOM = rand(2, 2, 7, 4, seed=3), rand(2, 2, 7, 4, seed=4)
STEP = Q[:, :1], OWN_K[:, :1], OWN_V[:, :1]
INDIRECT = ints([[0, 1, 1, 0, 1, 0, 0], [1, 0, 1, 0, 0, 1, 0]])
ALONE = np.zeros((2, 1, 7), np.int32)
HIDDEN = ints([1, 0, 1, 1], [0, 1, 1, 1])
THREE = ints(3)
SHARED = [
    many(*STEP, None, None, None, *ROOM, THREE, outputs=3, why="a buffer that is shared"),
    many(*STEP, rand(24), None, None, *ROOM, THREE, outputs=3, why="a shared buffer, biases"),
    many(Q, OWN_K, OWN_V, None, None, None, *ROOM, ints(0), outputs=3, why="the first of a buffer"),
    many(Q, OWN_K, OWN_V, None, None, None, *ROOM, ints(4), outputs=3, why="a buffer is full"),
    many(
        *(Q, OWN_K, OWN_V, None, None, None, *ROOM, THREE),
        unidirectional=1,
        outputs=3,
        why="a shared buffer, causal",
    ),
    many(*STEP, None, HIDDEN, None, *ROOM, THREE, outputs=3, why="a shared buffer and a mask"),
    many(
        *(*STEP, None, None, rand(1, 2, 1, 4), *ROOM, THREE),
        outputs=3,
        why="scores added to a shared buffer",
    ),
    many(*STEP, None, None, None, *ROOM, THREE, INDIRECT, outputs=3, why="two beams"),
    many(*STEP, None, None, None, *ROOM, THREE, ALONE, outputs=3, why="a beam"),
    many(*STEP, None, None, None, None, None, THREE, why="no buffer", raises=BadType),
]


def masked(*inputs: Any, why: str = "", outputs: int = 3, raises: Any = None, **more: Any) -> Case:
    """A case of DecoderMaskedMultiHeadAttention with two heads."""
    name, attrs = "DecoderMaskedMultiHeadAttention", {"num_heads": 2, **more}
    return case(name, *inputs, why=why, outputs=outputs, raises=raises, **attrs)


OWN: dict[str, Any] = {"past_present_share_buffer": 1}
TWO = ints(2)
STEPS = [
    masked(*STEP, None, None, *ROOM, THREE, **OWN),
    masked(*STEP, None, None, *ROOM, ints(0), **OWN, why="the first"),
    masked(*STEP, None, None, *ROOM, THREE, scale=0.25, **OWN),
    masked(*STEP, HIDDEN, None, *ROOM, THREE, **OWN, why="a mask"),
    masked(*STEP, HIDDEN, None, *ROOM, THREE, mask_filter_value=-1.5, **OWN),
    masked(*STEP, None, rand(1, 2, 1, 4), *ROOM, THREE, **OWN, why="scores added"),
    masked(*STEP, None, None, *ROOM, THREE, None, None, rand(24), **OWN, why="biases"),
    masked(*STEP, None, None, *ROOM, THREE, ints(1), ALONE, **OWN, why="a beam"),
    masked(*STEP, None, None, *ROOM, THREE, TWO, INDIRECT, **OWN, why="two beams"),
    masked(STEP[0], *PAST, outputs=1, why="keys of another layer"),
    masked(STEP[0], *PAST, HIDDEN, outputs=1, why="keys of another layer and a mask"),
    masked(*STEP, None, None, *ROOM, THREE, why="a buffer of its own", raises=Unsupported),
    masked(*STEP, None, None, *ROOM, **OWN, why="no length", raises=Unsupported),
    masked(*STEP, None, None, None, None, THREE, **OWN, why="no buffer", raises=BadType),
    masked(rand(2, 1, 24), None, None, why="all in one tensor", raises=Unsupported),
    masked(
        *STEP,
        None,
        None,
        *ROOM,
        THREE,
        **OWN,
        outputs=4,
        why="scores are read",
        raises=NNAdapterError,
    ),
]


def one(*inputs: Any, why: str = "", outputs: int = 1, raises: Any = None, **attrs: Any) -> Case:
    """A case of Attention with two heads; ONNX Runtime 1.31 dies without a bias."""
    given = {"num_heads": 2, **attrs}
    return case("Attention", *inputs, why=why, outputs=outputs, raises=raises, **given)


X, W, B = rand(2, 3, 6), rand(6, 24, seed=1), rand(24, seed=2)
STATE = rand(2, 2, 2, 4, 4, seed=3)
MASKS = (
    (ints(3, 2), "the ends of keys"),
    (ints(3, 2, 0, 1), "ends and starts of keys"),
    (ints(3, 2, 0, 3, 5, 0, 3, 5), "ends and sums of lengths"),
    (ints([1, 1, 0], [1, 1, 1]), "a mask of keys"),
    ((rand(2, 3, 3, seed=5) > 0).astype(np.int32), "a mask of queries and keys"),
)
UNEVEN = rand(6, 28, seed=1), rand(28, seed=2)
SIZES: dict[str, Any] = {"qkv_hidden_sizes": [8, 8, 12]}
PROJECTED = [
    one(X, W, B),
    one(X, Const(W), Const(B), outputs=2, why="keys and values"),
    one(X, W, B, unidirectional=1),
    one(X, W, B, scale=0.25),
    one(X, *UNEVEN, **SIZES),
    one(*(x.astype(np.float16) for x in (X, W, B)), outputs=2),
    *(one(X, W, B, mask, why=why) for mask, why in MASKS),
    *(one(X, W, B, mask, why=f"{why}, causal", unidirectional=1) for mask, why in MASKS),
    one(X, W, B, MASKS[3][0], mask_filter_value=-1.5, why="what is hidden is seen a little"),
    one(X, W, B, ints([1], [0]), unidirectional=1, why="a mask that stands for none"),
    one(X, W, B, None, STATE, outputs=2, why="a past"),
    one(X, W, B, None, STATE, outputs=2, unidirectional=1, why="a past, causal"),
    one(X, W, B, None, STATE[:, :, :, :0], outputs=2, why="an empty past"),
    one(X, W, B, ints([1] * 7, [0, 1] * 3 + [1]), STATE, outputs=2, why="a past and a mask"),
    one(X, W, B, None, None, rand(1, 2, 3, 3, seed=6), why="scores added"),
    one(X, *UNEVEN, outputs=2, **SIZES, why="an uneven present", raises=Unsupported),
    one(X, W, B, do_rotary=1, why="turned", raises=Unsupported),
    one(X, W, B, rotary_embedding_dim=4, why="turned in part", raises=Unsupported),
    one(X, W, B, past_present_share_buffer=1, why="a buffer that is shared", raises=Unsupported),
    one(X, W, B, None, STATE, None, ints(2), why="a length of the past", raises=Unsupported),
    one(X, W, B, qkv_hidden_sizes=[8, 8], why="two sizes", raises=BadType),
    one(X, W, B, np.ones((2, 1, 8, 8), np.int32), why="rank 4", raises=Unsupported),
]


def rotary(*inputs: Any, why: str = "", raises: Any = None, **attrs: Any) -> Case:
    """A case of RotaryEmbedding."""
    return case("RotaryEmbedding", *inputs, why=why, raises=raises, **attrs)


R3, R4 = rand(2, 3, 24), rand(2, 4, 3, 6)
COS, SIN = rand(9, 3), rand(9, 3, seed=1)
PLACES, FIRST = i([0, 1, 2], [4, 0, 8]), i(2)
TURNED = [
    rotary(R3, PLACES, COS, SIN, why="the table says how many heads"),
    rotary(R3, FIRST, COS, SIN, why="the place of the first"),
    rotary(R4, FIRST, Const(COS), Const(SIN), why="heads apart"),
    rotary(R4, PLACES, COS, SIN, interleaved=1, why="pairs side by side"),
    rotary(R3, FIRST, COS, SIN, num_heads=2, rotary_embedding_dim=6),
    rotary(*(x.astype(np.float16) for x in (R3,)), PLACES, COS.astype("f2"), SIN.astype("f2")),
    rotary(R3, PLACES, COS, SIN, scale=2.0, raises=Unsupported),
    rotary(R3, PLACES, COS, SIN, is_packed_batching=1, raises=Unsupported),
    rotary(rand(2, 3, 25), PLACES, COS, SIN, why="no whole heads", raises=BadType),
]
SCORES = """
<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]>
g (float[2, S, 8] q, float[2, T, 8] k, float[2, T, 12] v, int32[2, T] m, float[1, 2, S, T] b)
=> (float[2, S, 12] y, float[2, 2, S, T] s) {
  y, , , s = com.microsoft.MultiHeadAttention <num_heads = 2> (q, k, v, , m, b)
}"""
BEAMS = """
<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]>
g (float[2, 1, 8] q, float[2, 1, 8] k, float[2, 1, 8] v, float[2, 2, M, 4] past,
   float[2, 2, M, 4] past_too, int32[1] n, int32[1] width, int32[1, 2, M] beams)
=> (float[2, 1, 8] y, float[2, 2, M, 4] p, float[2, 2, M, 4] r, float[2, 2, 1, N] s) {
  y, p, r, s = com.microsoft.DecoderMaskedMultiHeadAttention
    <num_heads = 2, past_present_share_buffer = 1, output_qk = 1>
    (q, k, v, , , past, past_too, n, width, beams)
}"""
MODELS = [
    ModelCase(
        ("com.microsoft::MultiHeadAttention",),
        SCORES,
        (Q, K, V, FLAT, ADDED[1][0]),
        "scores of what is hidden are read",
        tol=Tolerance(relative=2e-5, absolute=1e-3),  # beside -10,000
        oracle="onnxruntime",
    ),
    ModelCase(
        ("com.microsoft::DecoderMaskedMultiHeadAttention",),
        BEAMS,
        (*STEP, *ROOM, THREE, TWO, INDIRECT),
        "scores of two beams are read",
        tol=CLOSE,
        oracle="onnxruntime",
    ),
]
CASES = [*MANY, *SHARED, *STEPS, *PROJECTED, *TURNED]
