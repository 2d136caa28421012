"""Edges of ATen operators: one element, none, NaN, other ranks."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import ROUNDS, Case, Tolerance, f, i, rand

NEAR = Tolerance(relative=1e-4, absolute=1e-5)
SQUARE = rand(3, 3, dtype=np.complex64)
POINT = f(1).reshape(1, 1, 1, 1)
HALF_SCALES = f(0.11304, 0.2, dtype=np.float16).reshape(2, 1)
STEPS = i(81, -7, 3, 127, dtype=np.int8).reshape(2, 2)
CASES: list[Case] = [
    Case("aten._linalg_det.default", (SQUARE,), tol=NEAR, why="complex factors in C's order"),
    Case("aten._linalg_slogdet.default", (SQUARE,), tol=NEAR, why="complex factors in C's order"),
    Case("aten._native_batch_norm_legit_functional.default",
         (POINT, f(1), f(1), f(1), f(1), True, 0.1, 1e-5), tol=ROUNDS,
         why="the variance of one element has no unbiased estimate"),
    Case("aten._batch_norm_with_update_functional.default",
         (POINT, f(1), f(1), f(1), f(1), 0.2, 1e-5), tol=ROUNDS,
         why="the variance of one element has no unbiased estimate"),
    Case("quantized_decomposed.dequantize_per_token.default",
         (STEPS, HALF_SCALES, i(3, -2).reshape(2, 1), -128, 127, Precision.INT8,
          Precision.FLOAT32), why="scales of float16 round the product"),
    Case("aten.mode.default", (f(np.nan),), why="NaN alone is in the first place"),
    Case("aten.pixel_unshuffle.default", (np.zeros((0, 1, 4, 2), np.float32), 2),
         why="what is empty keeps its shape"),
    Case("aten.repeat_interleave.Tensor", (np.zeros(0, np.int32),), {"output_size": 3},
         why="nothing is repeated, whatever size is promised"),
]  # fmt: skip
