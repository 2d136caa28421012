"""ONNX Runtime's attention of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Const, Tolerance, i, rand, scalar
from .microsoft_quant import ms, whole

CLOSE = Tolerance(relative=1e-4, absolute=1e-5)
"""Sums of products of two softmaxes, in another order."""

WEIGHTS = rand(8, 24, dtype=np.int8, low=-127, high=127)
BIAS = rand(24)


def attend(mask: Any = None, x: Any = None, past: Any = None, **attrs: Any) -> Any:
    """QAttention of two samples of four tokens, with two heads."""
    rows = whole(2, 4, 8) if x is None else x
    scales = Const(scalar(0.01)), Const(scalar(0.005))
    zeros = Const(scalar(3, rows.dtype)), Const(scalar(0, np.int8))
    inputs = rows, Const(WEIGHTS), Const(BIAS), *scales, mask, *zeros
    rest = () if past is None else (past,)
    return ms("QAttention", *inputs, *rest, **{"num_heads": 2} | attrs)


LENGTHS = i(2, 4, dtype=np.int32)
MASK = i([1, 0, 1, 1], [1, 1, 1, 0], dtype=np.int32)

CASES = [
    attend()("everything is seen", tol=CLOSE),
    attend(LENGTHS)("lengths", tol=CLOSE),
    attend(MASK)("a mask of keys", tol=CLOSE),
    attend(MASK, mask_filter_value=-1.0)("keys that count less", tol=CLOSE),
    attend(unidirectional=1)("no key behind the query", tol=CLOSE),
    attend(MASK, unidirectional=1)("no key behind the query, and a mask", tol=CLOSE),
    attend(scale=0.25)("a scale", tol=CLOSE),
    attend(num_heads=5)("heads that do not fit", raises=BadType),
    attend(x=whole(4, 8))("no batch", raises=BadType),
    attend(i([[1]], dtype=np.int32))("a mask of three axes", raises=Unsupported),
    attend(past=rand(2, 2, 2, 3, 4))("a past", raises=Unsupported),
    attend(do_rotary=1)("rotary embeddings", raises=Unsupported),
    attend(past_present_share_buffer=1)("a buffer that is shared", raises=Unsupported),
]
