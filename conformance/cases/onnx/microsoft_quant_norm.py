"""ONNX Runtime's embeddings of integers with a normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType

from ...case import ROUNDS, Const, i, scalar
from .microsoft_quant import ms, whole

IDS = i([1, 5, 0, 9], [3, 3, 8, 2], dtype=np.int32)
SEGMENTS = i([0, 0, 1, 1], [0, 1, 1, 1], dtype=np.int32)
MASK = i([1, 1, 1, 0], [1, 0, 0, 0], dtype=np.int32)
SIZES = ((10, 8), (6, 8), (2, 8), (8,), (8,))
SCALES = [Const(scalar(s)) for s in (0.01, 0.02, 0.03, 0.01, 0.02)]
ZEROS = [Const(scalar(z, np.uint8)) for z in (120, 128, 100, 90, 130)]


def embed(segments: Any = SEGMENTS, mask: Any = MASK, ids: Any = IDS, **attrs: Any) -> Any:
    """QEmbedLayerNormalization of ten words, six places and two segments."""
    words, places, kinds, gamma, beta = (Const(whole(*s)) for s in SIZES)
    tables: list[Any] = [words, places, kinds, gamma, beta]
    scales: list[Any] = list(SCALES)
    zeros: list[Any] = list(ZEROS)
    if segments is None:
        tables[2] = scales[2] = zeros[2] = None
    return ms("QEmbedLayerNormalization", ids, segments, *tables, mask, *scales, *zeros, **attrs)


CASES = [
    embed()("words, places and segments", tol=ROUNDS, outputs=2),
    embed(epsilon=0.1)("a wide epsilon", tol=ROUNDS, outputs=2),
    embed(mask=None)("no mask", tol=ROUNDS, outputs=2),
    embed(segments=None)("no segments", tol=ROUNDS, outputs=2),
    embed(ids=i(1, 2, dtype=np.int32))("no batch", raises=BadType, outputs=2),
]
