"""Edges of ATen operators: one element, none, NaN, other ranks."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand, scalar

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
    Case("aten.addcmul.default", (f(1), f(3e38), f(-0.0)), {"value": 3},
         why="the number goes first, and overflows"),
    Case("aten.lcm.default", (i(32767, -5, dtype=np.int16), i(2, 3, dtype=np.int16)),
         why="more than 16 bits hold"),
    Case("aten.nuclear_norm.default", (rand(2, 3, 4),), tol=NEAR, why="of each matrix"),
    Case("aten.multi_margin_loss.default", (f(1, np.nan, 2).reshape(1, 3), i(0)), tol=ROUNDS,
         why="NaN counts as no loss"),
    Case("aten.nll_loss_forward.default", (f(1, 2), np.array(1), f(3, 4), 0, -100),
         why="of one sample the weight is told"),
    *(
        Case(op, (i(1, 5), i(3, 2), i(1, -1)), tol=ROUNDS, why="integers")
        for op in ("aten.margin_ranking_loss.default", "aten.triplet_margin_loss.default")
    ),
    Case("aten.l1_loss.default", (rand(2, 3, dtype=np.complex64), SQUARE[:2]), tol=ROUNDS,
         why="complex numbers"),
    Case("aten.cross_entropy_loss.default", (rand(2, 3), i(0, 2), None, 1, -100, -1.0),
         tol=ROUNDS, why="smoothing below 0 is none"),
    Case("aten._weight_norm_interface.default", (rand(3), f(1, 2, 3)), tol=ROUNDS,
         why="a vector has no other axes"),
    Case("aten._scaled_dot_product_flash_attention_for_cpu.default",
         tuple(rand(1, 2, 3, 4, dtype=np.float16, seed=k) for k in range(3)),
         tol={"float16": Tolerance(relative=2e-3, absolute=1e-3), "": ROUNDS},
         why="scores are wider than the queries"),
    Case("aten.bincount.default", (i(3, 1), f(np.nan, 2)), why="NaN in one place only"),
    Case("aten._reshape_alias.default", (rand(2, 3), [3, 2], [1, 2]), why="other strides"),
    *(
        Case(op, (np.zeros((0, 1), np.complex64), 5, -2), why="of nothing")
        for op in ("aten.fft_irfft.default", "aten.fft_fft.default", "aten.fft_hfft.default")
    ),
    Case("aten.istft.default",
         (rand(8, 3, dtype=np.complex64), 8, 4, 8, f(1, 2, 3, 4, 5, 6, 7, 8), False, True, False),
         tol=NEAR, why="the second half does not count"),
    *(
        Case(f"aten.{name}.default", (f(np.nan, np.nan), f(0, 1)), tol=NEAR, why="an order of NaN")
        for name in ("igamma", "igammac")
    ),
    Case("aten.special_zeta.default", (f(2, 1), f(np.inf, np.inf)), tol=NEAR, why="at infinity"),
    *(
        Case("aten.polygamma.default", (n, f(np.inf, 2)), tol=NEAR, why=f"order {n} at infinity")
        for n in (1, 2)
    ),
    *(
        Case(f"torch.sym_{name}", (scalar(True, np.bool_), scalar(False, np.bool_)),
             why="truth values")
        for name in ("max", "min")
    ),
    *(
        Case("aten.upsample_nearest2d.default", (rand(1, 2, 4, 3), [6, 9], *scales),
             why=f"scales {scales}")
        for scales in ((-1.6, 1.9), (1.6, 0.0))
    ),
    *(
        Case("aten.upsample_bilinear2d.default", (rand(1, 2, 4, 3), [6, 4], False, *scales),
             tol=NEAR, why=f"scales {scales}")
        for scales in ((1.6, None), (None, 1.4), (0.0, 1.4))
    ),
    Case("aten.grid_sampler_2d.default",
         (rand(1, 1, 2, 2), f(np.nan, 0, 0, np.nan, np.nan, np.nan, 0.2, 0.3).reshape(1, 2, 2, 2),
          0, 1, False), tol=NEAR, why="NaN stands for -1 beside a border"),
    Case("aten.grid_sampler_3d.default",
         (np.zeros((1, 0, 3, 1, 1), np.float32), np.zeros((1, 2, 3, 1, 3), np.float32), 0, 0, True),
         why="no channels"),
    Case("aten.linalg_matrix_exp.default", (f(1, np.inf, 0, 2).reshape(2, 2),), why="an infinity"),
]  # fmt: skip
LIMITS: list[Limit] = [
    Limit(
        "quantized_decomposed.dequantize_per_token.default",
        device=device,
        case="scales of float16",
        why="the engine computes float16 in float32, and drops the rounding in front of a cast",
    )
    for device in ("onnxruntime", "openvino")
]
