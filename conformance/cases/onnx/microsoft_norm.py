"""ONNX Runtime's own normalisations, which add first what goes past them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, Tolerance, i, rand
from .microsoft_activation import MICROSOFT

HALF = Tolerance(relative=2e-3, absolute=2e-3)
"""Two units in the last place of a half below 2: sums are rounded in another order."""


def case(op: str, *inputs: Any, why: str = "", outputs: int = 1, **attrs: Any) -> Case:
    """A case of the domain."""
    raises = attrs.pop("raises", None)
    tol = {"": ROUNDS, "float16": HALF}
    return Case(op, inputs, attrs, tol, why=why, raises=raises, outputs=outputs, domain=MICROSOFT)


X, SKIP, GAMMA = rand(2, 3, 4), rand(2, 3, 4, seed=1), rand(4)
BETA, BIAS = rand(4, seed=2), rand(4, seed=3)
HALVES = tuple(x.astype(np.float16) for x in (X, SKIP, GAMMA, BETA, BIAS))
LAYER, SIMPLE = "SkipLayerNormalization", "SkipSimplifiedLayerNormalization"
SKIPS = [
    case(LAYER, X, SKIP, GAMMA),
    case(LAYER, X, SKIP, GAMMA, BETA, why="a shift"),
    case(LAYER, X, SKIP, GAMMA, None, BIAS, why="a bias"),
    case(LAYER, X, SKIP, Const(GAMMA), Const(BETA), BIAS, outputs=4, epsilon=1e-3),
    case(LAYER, X, SKIP[0], GAMMA, BETA, outputs=4, why="one skip for all samples"),
    case(LAYER, X, SKIP[:1], GAMMA, BETA, BIAS, outputs=4, why="a batch of one skip"),
    case(LAYER, X[0], SKIP[0], GAMMA, why="no batch"),
    case(LAYER, *HALVES),
    case(LAYER, *HALVES, outputs=4, why="sums in halves"),
    case(LAYER, X[0, 0], SKIP[0, 0], GAMMA, why="a vector", raises=BadType),
    *(case(n, X[:1], SKIP, GAMMA, why="more is added", raises=BadType) for n in (LAYER, SIMPLE)),
    case(SIMPLE, X, SKIP, GAMMA),
    case(SIMPLE, X, SKIP, GAMMA, BIAS, epsilon=1e-2),
    case(SIMPLE, X, SKIP[:1], GAMMA, why="a batch of one skip"),
    case(SIMPLE, *HALVES[:3]),
    case(SIMPLE, X, SKIP, GAMMA, outputs=4, why="the mean is read", raises=Unsupported),
]

IDS = i([1, 2, 3], [0, 4, 1], dtype=np.int32)
SEGMENTS = i([0, 1, 1], [0, 0, 1], dtype=np.int32)
MASK = i([1, 1, 0], [2, 0, 1], dtype=np.int32)
WORDS, PLACES, TYPES = Const(rand(5, 4)), rand(6, 4, seed=1), rand(2, 4, seed=2)
EMBED = "EmbedLayerNormalization"
FULL = IDS, SEGMENTS, WORDS, PLACES, TYPES, GAMMA, BETA
PLAIN = IDS, None, WORDS, PLACES, None, GAMMA, BETA
EMBEDDINGS = [
    case(EMBED, *FULL, MASK, outputs=3),
    case(EMBED, *FULL, outputs=2, why="no mask counts nothing"),
    case(EMBED, *PLAIN, outputs=2, epsilon=1e-3, why="no segments"),
    case(EMBED, *PLAIN, outputs=2, mask_index_type=1, why="the type of the count is said"),
    case(EMBED, *FULL, MASK, i([2, 1, 0], dtype=np.int32), outputs=3, why="positions for all"),
    case(EMBED, *FULL, None, i([2, 1, 0], [0, 1, 5], dtype=np.int32), outputs=3, why="positions"),
    case(EMBED, *FULL[:4], None, GAMMA, BETA, why="segments without a table", raises=BadType),
]
CASES = [*SKIPS, *EMBEDDINGS]
