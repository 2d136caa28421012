"""ONNX Runtime's own mixtures of experts.

In halves its kernel writes over an input that is computed (docs/upstream_bugs): a constant is safe.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Tolerance, rand
from .microsoft_activation import MICROSOFT

CLOSE = Tolerance(relative=2e-5, absolute=2e-5)
"""Two products and the sum over experts, in another order."""


HALF = Tolerance(relative=4e-3, absolute=4e-3)
"""The same in float32, rounded to a half at the end."""


def case(*inputs: Any, why: str = "", raises: Any = None, **attrs: Any) -> Case:
    """A case of MoE."""
    tol = {"": CLOSE, "float16": HALF}
    return Case("MoE", inputs, attrs, tol, why=why, raises=raises, domain=MICROSOFT)


X, ROUTER = rand(5, 4), rand(5, 3, seed=9)
UP, DOWN = (rand(3, 6, 4), rand(3, 6)), (rand(3, 4, 6), rand(3, 4))
PAIRS = rand(3, 12, 4, seed=6), rand(3, 12, seed=7)
GATED: dict[str, Any] = {"activation_type": "swiglu", "swiglu_fusion": 1, "k": 2}
HALVES = tuple(x.astype(np.float16) for x in (X, ROUTER, *UP, *DOWN))
CASES = [
    case(Const(HALVES[0]), *HALVES[1:], k=2),
    case(X, ROUTER, *UP, *DOWN),
    case(X, ROUTER, UP[0], None, DOWN[0], k=2, why="no biases"),
    case(X, ROUTER, *map(Const, (*UP, *DOWN)), k=3, why="all experts"),
    case(X[None], ROUTER, *UP, *DOWN, k=2, why="a batch"),
    case(X, np.ones((5, 3), np.float32), *UP, *DOWN, k=2, why="equal experts"),
    *(
        case(X, ROUTER, *UP, *DOWN, k=2, normalize_routing_weights=1, activation_type=name)
        for name in ("gelu", "identity", "relu", "silu")
    ),
    case(X, ROUTER, *PAIRS, *DOWN, **GATED),
    case(X, ROUTER, *PAIRS, *DOWN, activation_alpha=1.75, activation_beta=1.0, **GATED),
    case(X, ROUTER, *PAIRS, *DOWN, swiglu_limit=0.75, **GATED),
    case(X, ROUTER, *UP, *DOWN, activation_type="tanh", raises=Unsupported),
    case(X, ROUTER, *PAIRS, *DOWN, activation_type="swiglu", raises=Unsupported),
    case(X, ROUTER, *PAIRS, *DOWN, activation_type="swiglu", swiglu_fusion=2, raises=Unsupported),
    case(X, ROUTER, *UP, *DOWN, use_sparse_mixer=1, raises=Unsupported),
    case(X, ROUTER, *UP, *DOWN, UP[0], why="a third layer", raises=Unsupported),
    case(X, ROUTER, *UP, *DOWN, None, UP[1], why="a third bias", raises=Unsupported),
    case(X, ROUTER, *UP, *DOWN, k=0, raises=BadType),
]
