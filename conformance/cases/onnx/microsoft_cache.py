"""ONNX Runtime's own attention over caches, whose samples have lengths of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, ModelCase, f, i, rand
from .microsoft_attention import CLOSE, case, ints

HEADS = {"num_heads": 4, "kv_num_heads": 2}


def group(
    *inputs: Any,
    why: str = "",
    outputs: int = 3,
    raises: Any = None,
    lengths: Any = (3, 3),
    past: Any = (None, None),
    rest: Any = (),
    **attrs: Any,
) -> Case:
    """A case of GroupQueryAttention: samples of these lengths in all, after a past."""
    ends = ints(*(n - 1 for n in lengths)), np.array(max(lengths), np.int32)
    given = (*inputs, *(None,) * (3 - len(inputs)), *past, *ends, *rest)
    attrs = HEADS | attrs
    return case("GroupQueryAttention", *given, why=why, outputs=outputs, raises=raises, **attrs)


Q, K, V = rand(2, 3, 64), rand(2, 3, 32, seed=1), rand(2, 3, 32, seed=2)
NEW = Q[:, :1], K[:, :1], V[:, :1]
PAST = rand(2, 2, 2, 16, seed=3), rand(2, 2, 2, 16, seed=4)
ROOM = rand(2, 2, 6, 16, seed=3), rand(2, 2, 6, 16, seed=4)
FIRST = tuple(x[:1] for x in (Q, K, V))
ONE = tuple(x[:1] for x in ROOM)
LARGE = rand(2, 3, 128), rand(2, 3, 64, seed=1), rand(2, 3, 64, seed=2)
COS, SIN = rand(12, 8, seed=5), rand(12, 8, seed=6)
TURN: dict[str, Any] = {"do_rotary": 1}
BIAS = rand(1, 1, 3, 3, seed=7)
NONE = (None,) * 3
HALVES = tuple(x.astype(np.float16) for x in (Q, K, V))
PROMPTS = [
    group(Q, K, V, outputs=1),
    group(Q, K, V, why="keys and values"),
    group(rand(2, 3, 128), why="all in one tensor"),
    group(*HALVES),
    group(Q, K, V, lengths=(3, 1), why="padding behind the second sample"),
    group(Q, K, V, past=tuple(x[:, :, :0] for x in PAST), why="an empty past"),
    group(Q, K, V, past=ROOM, why="a cache that is still empty"),
    group(Q, K, V, scale=0.5),
    group(Q, K, V, softcap=1.5),
    group(Q, K, V, local_window_size=2),
    group(Q, K, V, local_window_size=1, why="each sees itself"),
    group(Q, K, V, causal=0),
    group(Q, K, V, smooth_softmax=1),
    group(Q, K, V, smooth_softmax=0),
    group(Q, K, V, rest=(*NONE, None, rand(4)), why="a sink for each head"),
    group(Q, K, V, rest=(*NONE, BIAS), why="scores added"),
    group(Q, K, V, rest=(*NONE, rand(2, 4, 3, 3)), softcap=1.5, why="scores added to a cap"),
    group(Q, K, V, qk_norm_epsilon=0.5, why="an epsilon of a norm that is not there"),
    group(Q, K, V, outputs=4, qk_output=1),
    group(Q, K, V, outputs=4, qk_output=2),
    group(Q, Q, Q, kv_num_heads=4, why="a head for each"),
]
DECODING = [
    group(*NEW, past=PAST, why="one more"),
    group(*NEW, past=PAST, lengths=(3, 2), why="one more, of different lengths"),
    group(*NEW, past=ROOM, lengths=(3, 2), why="a cache with room"),
    group(*NEW, past=ROOM, lengths=(7, 2), why="a cache that grows"),
    group(*FIRST, past=ONE, lengths=(5,), why="three more, a cache with room"),
    group(*FIRST, past=ONE, lengths=(9,), why="three more"),
    group(*FIRST, past=ONE, lengths=(9,), local_window_size=4, why="three more in a window"),
    group(
        *NEW,
        past=ROOM,
        lengths=(3, 2),
        rest=(*NONE, rand(2, 4, 1, 3)),
        why="scores of a cache added",
    ),
    group(*NEW, past=PAST, lengths=(3, 3), outputs=4, qk_output=2, why="weights of a past"),
]
READ: dict[str, Any] = {"outputs": 4, "qk_output": 2}
SCORED: dict[str, Any] = {"outputs": 4, "qk_output": 1}
SINK = (*NONE, None, f(0.5, -1.25, 2, 0.125))
WEIGHED = [
    group(Q, Q, Q, kv_num_heads=4, why="scores of a head for each", **SCORED),
    group(Q, K, V, softcap=1.5, why="scores under a cap", **SCORED),
    group(*NEW, past=ROOM, lengths=(7, 7), why="scores of a cache that grows", **SCORED),
    group(Q, K, V, scale=0.5, why="scores of another scale", **SCORED),
    group(Q, K, V, rest=(COS, SIN), why="scores of what is turned", **TURN, **SCORED),
    group(Q, K, V, causal=0, why="weights of what comes later", **READ),
    group(Q, K, V, softcap=1.5, why="weights under a cap", **READ),
    group(Q, K, V, local_window_size=2, why="weights in a window", **READ),
    group(Q, K, V, smooth_softmax=1, why="weights beside a key without a value", **READ),
    group(Q, K, V, rest=SINK, why="weights beside a sink", **READ),
    group(Q, K, V, rest=SINK, local_window_size=2, why="a sink, a window", **READ),
    group(Q, K, V, rest=(*NONE, rand(2, 4, 3, 3)), why="weights of scores added", **READ),
    group(Q, K, V, rest=(COS, SIN), rotary_interleaved=1, why="weights, pairs", **TURN, **READ),
    group(Q, K, V, rest=(COS, SIN, i([0, 1, 2], [1, 2, 3])), why="weights, places", **TURN, **READ),
    group(*LARGE, rest=(COS, SIN), why="weights, half of the features turned", **TURN, **READ),
    group(*NEW, past=PAST, rest=SINK, why="a sink beside a cache", **READ),
    group(*FIRST, past=ONE, lengths=(9,), local_window_size=4, why="weights of three more", **READ),
    group(*HALVES, why="weights in halves", **READ),
]
TURNED = [
    group(Q, K, V, rest=(Const(COS), Const(SIN)), **TURN),
    group(Q, K, V, rest=(COS, SIN), rotary_interleaved=1, **TURN),
    group(rand(2, 3, 128), rest=(COS, SIN), **TURN, why="all in one tensor, turned"),
    group(Q, K, V, rest=(COS, SIN, i([0, 1, 2], [1, 2, 3])), **TURN, why="places"),
    group(Q, K, V, lengths=(3, 1), rest=(COS, SIN), **TURN, why="padding"),
    group(*NEW, past=ROOM, lengths=(3, 2), rest=(COS, SIN), **TURN, why="one more, turned"),
    group(*FIRST, past=ONE, lengths=(9,), rest=(COS, SIN), **TURN, why="three more, turned"),
    group(*HALVES, rest=(COS.astype("f2"), SIN.astype("f2")), **TURN),
    group(*LARGE, rest=(COS, SIN), **TURN, why="half of the features"),
    group(
        *NEW,
        past=ROOM,
        lengths=(3, 2),
        rest=(COS, SIN, i([2], [5])),
        scale=0.5,
        softcap=1.5,
        **TURN,
        why="a place",
    ),
]
LONG = rand(2, 10, 64), rand(2, 10, 32, seed=1), rand(2, 10, 32, seed=2)
WINDOW: dict[str, Any] = {"sliding_window_cache": 1, "local_window_size": 3}
FULL = tuple(x[:, :, :3] for x in ROOM)
# what lies in a cache behind the keys that it holds is unspecified: here it holds as many as it can
WINDOWED = [
    group(Q, K, V, past=FULL, why="a prompt", **WINDOW),
    group(*LONG, past=ROOM, lengths=(10, 10), why="a prompt beyond the room", **WINDOW),
    group(*LONG, past=FULL, lengths=(10, 10), why="a prompt, no room but the window", **WINDOW),
    group(*NEW, past=ROOM, lengths=(6, 6), why="one more, there is room", **WINDOW),
    group(*NEW, past=ROOM, lengths=(14, 10), why="one more, caches are full", **WINDOW),
    group(*NEW, past=FULL, lengths=(25, 9), why="one more, no room but the window", **WINDOW),
    group(*FIRST, past=ONE, lengths=(10,), why="three more, a cache is full", **WINDOW),
    group(*(x[:1] for x in LONG), past=ONE, lengths=(30,), why="ten more", **WINDOW),
    group(*NEW, past=ROOM, lengths=(10, 6), rest=(COS, SIN), **TURN, **WINDOW),
    group(
        *NEW,
        past=ROOM,
        lengths=(10, 6),
        rest=(COS, SIN, i([2], [5])),
        **TURN,
        **WINDOW,
        why="places and a window",
    ),
    group(*NEW, past=ROOM, lengths=(10, 6), rest=(*NONE, None, rand(4)), softcap=2.0, **WINDOW),
    group(rand(2, 3, 128), past=FULL, **WINDOW, why="all in one tensor, a window"),
    group(Q, K, V, why="no caches of a window", raises=BadType, **WINDOW),
    group(*NEW, past=tuple(x[:, :, :2] for x in ROOM), why="no room", raises=BadType, **WINDOW),
    group(Q, K, V, past=ROOM, sliding_window_cache=1, why="no window", raises=BadType),
    group(
        Q, K, V, past=ROOM, rest=(*NONE, BIAS), why="scores, a window", raises=Unsupported, **WINDOW
    ),
    group(Q, K, V, past=ROOM, outputs=4, qk_output=1, **WINDOW, raises=Unsupported),
]
REFUSED = [
    group(
        Q,
        rand(2, 3, 48),
        rand(2, 3, 48),
        kv_num_heads=3,
        why="three for four",
        raises=BadType,
        **SCORED,
    ),
    group(
        Q,
        rand(2, 3, 96),
        rand(2, 3, 96),
        kv_num_heads=6,
        why="six for four",
        raises=BadType,
        **SCORED,
    ),
    group(Q, K, V, **TURN, why="no angles", raises=BadType),
    group(Q, K, why="no values", raises=BadType),
    group(Q, K, V, past=(PAST[0], None), why="half a past", raises=BadType),
    group(rand(2, 3, 65), why="no whole heads", raises=BadType),
    group(Q, K, V, kv_cache_bit_width=8, raises=Unsupported),
    group(Q, K, V, k_quant_type="PER_TENSOR", raises=Unsupported),
    group(Q, K, V, v_quant_type="PER_TENSOR", raises=Unsupported),
    group(Q, K, V, outputs=4, why="the scores are read", raises=Unsupported),
    *(
        group(Q, K, V, rest=(*NONE, *(None,) * (2 + k), rand(1)), why=name, raises=Unsupported)
        for k, name in enumerate(("k_scale", "v_scale", "q_norm_weight", "k_norm_weight"))
    ),
]
CLEARED = """
<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]>
g (float[2, 1, 64] q, float[2, 1, 32] k, float[2, 1, 32] v, float[2, 2, C, W] keys,
   float[2, 2, C, W] values, int32[2] last, int32 total, int32[2] next, int32 more)
=> (float[2, 1, 64] y, float[2, 1, 64] z) {
  y, held, held_too = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2,
    local_window_size = 3, sliding_window_cache = 1> (q, k, v, keys, values, last, total)
  z, rest, rest_too = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2,
    local_window_size = 3, sliding_window_cache = 1> (q, k, v, held, held_too, next, more)
}"""
ENDS = [ints(n, m) if m else np.array(n, np.int32) for n, m in ((6, 8), (9, 0), (7, 9), (10, 0))]
MODELS = [
    ModelCase(
        ("com.microsoft::GroupQueryAttention",),
        CLEARED,
        (*NEW, *ROOM, *ENDS),
        "what is held of a cleared cache",
        tol=CLOSE,
        oracle="onnxruntime",
    )
]
ALONE = {"num_heads": 4, "kv_num_heads": 1}
SINGLE = [
    group(Q[:, :1], *(rand(2, 1, 16, seed=k) for k in (1, 2)),
          past=tuple(rand(2, 1, 2, 16, seed=k) for k in (3, 4)), why="one head of keys", **ALONE),
]  # fmt: skip
CASES = [*PROMPTS, *DECODING, *WEIGHED, *TURNED, *WINDOWED, *REFUSED, *SINGLE]
