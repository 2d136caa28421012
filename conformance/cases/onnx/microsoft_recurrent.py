"""ONNX Runtime's own layers with a running state, which ONNX took over later."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Tolerance, rand, scalar
from .microsoft_activation import MICROSOFT

CLOSE = Tolerance(relative=2e-5, absolute=1e-5)
"""Sums over a few steps, each rounded to float32 in another order."""
HALF = Tolerance(relative=2e-3, absolute=2e-3)
"""The same, rounded to a half at the end."""


def case(
    op: str, *inputs: Any, why: str = "", raises: Any = None, outputs: int = 1, **attrs: Any
) -> Case:
    """A case of the domain."""
    tol = {"": CLOSE, "float16": HALF}
    return Case(op, inputs, attrs, tol, why=why, raises=raises, outputs=outputs, domain=MICROSOFT)


Q, K, V = rand(2, 3, 12), rand(2, 3, 6, seed=1), rand(2, 3, 10, seed=2)
STATE = rand(2, 2, 3, 5, seed=3)
DECAY, BETA = rand(2, 3, 6, seed=4, low=-1, high=0), rand(2, 3, 2, seed=5, low=0, high=1)
RULES: dict[str, Any] = {
    "linear": (),
    "gated": (STATE, DECAY),
    "delta": (None, None, BETA),
    "gated_delta": (STATE, DECAY, BETA),
}
HEADS: dict[str, Any] = {"q_num_heads": 4, "kv_num_heads": 2}
LINEAR = [
    *(
        case(
            "LinearAttention",
            *(Q, K, V, *rest),
            outputs=2,
            why=f"ONNX Runtime's {rule}",
            update_rule=rule,
            **HEADS,
        )
        for rule, rest in RULES.items()
    ),
    case(
        *("LinearAttention", Q, K, V, STATE, DECAY, BETA),
        outputs=2,
        scale=0.5,
        chunk_size=16,
        why="ONNX Runtime's own chunks",
        **HEADS,
    ),
    case("LinearAttention", Q, K, V, state_window=2, why="a window", raises=Unsupported, **HEADS),
    case(
        "LinearAttention",
        *(rand(1, 300, n, seed=n) for n in (4, 2, 3)),
        None,
        *(rand(1, 300, 2, seed=4, low=-1, high=0), rand(1, 300, 1, seed=5, low=0, high=1)),
        outputs=2,
        why="a long sequence",
        q_num_heads=2,
        kv_num_heads=1,
    ),
]
SIGNAL, TAPS, PAST = rand(2, 3, 6), rand(3, 1, 4, seed=1), rand(2, 3, 3, seed=2)
OFF = {"channels_last": 1, "dilation": 2, "ndim": 2, "state_window": 2}
CAUSAL = [
    case("CausalConvWithState", SIGNAL, TAPS, outputs=2, why="ONNX Runtime's"),
    case(
        *("CausalConvWithState", SIGNAL, Const(TAPS), rand(3), PAST),
        activation="silu",
        outputs=2,
        why="ONNX Runtime's, from a state",
    ),
    *(
        case("CausalConvWithState", SIGNAL, TAPS, raises=Unsupported, why=name, **{name: value})
        for name, value in OFF.items()
    ),
]
X, SCALE, GATE = rand(2, 3, 4), rand(4), rand(2, 3, 4, seed=1)
GATED = [
    case("GatedRMSNorm", X, SCALE, GATE),
    case("GatedRMSNorm", X, Const(SCALE), GATE, activation="sigmoid", epsilon=0.1),
    case("GatedRMSNorm", X, SCALE, GATE, activation="swish"),
    case("GatedRMSNorm", *(x.astype(np.float16) for x in (X, SCALE, GATE))),
    case("GatedRMSNorm", X, SCALE, GATE, activation="relu", raises=Unsupported),
    case("GatedRMSNorm", X, rand(5), GATE, why="another size", raises=BadType),
    case("GatedRMSNorm", X, scalar(2), GATE, why="one factor without an axis", raises=BadType),
]
CASES = [*LINEAR, *CAUSAL, *GATED]
